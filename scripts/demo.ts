/**
 * Shows the main workflow, from plan to pull, on the emulator: `npm run demo`, or `npm run demo -- PROGRAM`
 * to run a program other than the built one. Checks the result of each step, and exits with a non-zero code
 * at the first mismatch.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pc from "picocolors";
import { buildIfStale } from "./build.js";
import { readOptions } from "./options.js";

const repository = fileURLToPath(new URL("..", import.meta.url));
const built = path.join(repository, "dist/cli/main.js");
const [given] = readOptions("npm run demo -- [PROGRAM]", { allowPositionals: true }).positionals;
const [program, first] = given === undefined ? [process.execPath, [built]] : [given, []];
const apiKey = "test-key";

if (given === undefined) buildIfStale();

const folder = await mkdtemp(path.join(tmpdir(), "avatarops-demo-"));
let emulator: ChildProcess | undefined;
let shown: ChildProcess | undefined;
// Stops if the reader closed the pipe, as `head` does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  shown?.kill("SIGTERM");
  emulator?.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
try {
  await cp(path.join(repository, "examples/yaml"), folder, { recursive: true });
  await runDemo();
  console.log(pc.green("\nThe demo completed as expected."));
} catch (error) {
  console.error(pc.red(`\nThe demo failed: ${error instanceof Error ? error.message : error}`));
  process.exitCode = 1;
} finally {
  emulator?.kill("SIGTERM");
  await rm(folder, { recursive: true, force: true });
}

async function runDemo(): Promise<void> {
  printHeading("Start the emulator with a sample account");
  const baseUrl = await startEmulator();
  const environment = {
    AVATAROPS_BASE_URL: baseUrl,
    AVATAROPS_API_KEY: apiKey,
    LLM_API_KEY: "sk-demo-not-a-real-key",
  };
  const avatarops = (...args: string[]) => runShown(args, environment);

  printHeading("Plan: compare the files with the account");
  const first = await avatarops("plan", "--detailed-exitcode");
  expect(first.exit === 2, "plan exits 2: changes are pending");
  expect(/\d+ to create/.test(first.stdout), "the plan contains creates");
  expect(/\d+ to adopt/.test(first.stdout), "the plan contains adoptions");
  expect(
    !/to update|to forget|to supersede|missing|ambiguous/.test(findSummary(first.stdout)),
    "the plan contains no other changes",
  );

  printHeading("Apply");
  const applied = await avatarops("apply", "--auto-approve");
  expect(applied.exit === 0, "apply exits 0");

  printHeading("Plan again: nothing to do");
  const second = await avatarops("plan", "--detailed-exitcode");
  expect(second.exit === 0, "plan exits 0: no changes");
  expect(/\d+ requests?/.test(second.stdout), "the plan shows its number of requests");

  printHeading("A colleague edits a prompt in the dashboard");
  const edited = await editAsColleague(baseUrl);
  console.log(`  ${pc.red(`- ${edited.before}`)}\n  ${pc.green(`+ ${edited.after}`)}`);

  printHeading("Plan: the edit shows as drift, word by word");
  const drifted = await avatarops("plan", "--detailed-exitcode");
  expect(drifted.exit === 2, "plan exits 2");
  expect(/drifted/.test(drifted.stdout), "the object is marked as drifted");

  printHeading("Apply skips it");
  const skipped = await avatarops("apply", "--auto-approve");
  expect(skipped.exit === 0, "apply exits 0, and lists the edit");
  expect((await readPrompt(baseUrl)).includes(edited.after), "the colleague's text is kept");

  printHeading("Pull writes the edit into the Markdown file");
  // Without --auto-approve, pull asks for confirmation, because staging has the same text.
  const pulled = await avatarops("pull", "--auto-approve");
  expect(pulled.exit === 0, "pull exits 0");
  const file = await readFile(path.join(folder, "contexts/support-desk.md"), "utf8");
  expect(
    file.includes(edited.after) && !file.includes(edited.before),
    "the file contains the colleague's text",
  );

  printHeading("Plan: files and account agree again");
  const last = await avatarops("plan", "--detailed-exitcode");
  expect(last.exit === 0, "plan exits 0: no changes");
}

async function startEmulator(): Promise<string> {
  emulator = spawn(program, [...first, "emulate", "--port", "0", "--quiet"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: emulator.stdout as NodeJS.ReadableStream });
  for await (const line of lines) {
    const [, url] = /AVATAROPS_BASE_URL=(\S+)/.exec(line) ?? [];
    if (url) {
      console.log(`  ${url}`);
      return url;
    }
  }
  throw new Error("the emulator did not start");
}

/** Reads the live prompt of the demo's context through an endpoint that only the emulator has. */
async function readPrompt(baseUrl: string): Promise<string> {
  const response = await fetch(`${baseUrl}/_emulator/world`, { headers: { "X-API-KEY": apiKey } });
  const { contexts } = (await response.json()) as { contexts: { name: string; prompt: string }[] };
  const prompt = contexts.find(({ name }) => name === "Support desk")?.prompt;
  if (prompt === undefined) throw new Error("the account has no context named Support desk");
  return prompt;
}

/** Changes one sentence of a prompt, like a dashboard edit. */
async function editAsColleague(baseUrl: string): Promise<{ before: string; after: string }> {
  const prompt = await readPrompt(baseUrl);
  const before = prompt.split("\n").find((line) => /^\w.{60,}\.$/.test(line));
  if (before === undefined) throw new Error("the prompt has no sentence to edit");
  const after = before.replace(/\.$/, ", and always offer a call back within one hour.");
  const response = await fetch(`${baseUrl}/_emulator/edit`, {
    method: "POST",
    headers: { "X-API-KEY": apiKey, "Content-Type": "application/json" },
    body: JSON.stringify({
      do: "editContext",
      context: "Support desk",
      patch: { prompt: prompt.replace(before, after) },
    }),
  });
  if (!response.ok) throw new Error(`the edit failed: ${await response.text()}`);
  return { before, after };
}

interface Shown {
  readonly exit: number;
  readonly stdout: string;
}

/** Runs the command as a user would, shows its output and returns it. */
async function runShown(args: readonly string[], environment: Record<string, string>): Promise<Shown> {
  console.log(pc.bold(`$ avatarops ${args.join(" ")}`));
  const color: Record<string, string> =
    process.stdout.isTTY && !process.env.NO_COLOR ? { FORCE_COLOR: "1" } : {};
  const child = spawn(program, [...first, ...args], {
    cwd: folder,
    env: { ...process.env, ...environment, ...color },
    stdio: ["ignore", "pipe", "inherit"],
  });
  shown = child;
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    process.stdout.write(text);
  });
  const [exit] = (await once(child, "close")) as [number | null];
  return { exit: exit ?? -1, stdout };
}

function findSummary(plan: string): string {
  return plan.trimEnd().split("\n").slice(-2).join(" ");
}

function printHeading(text: string): void {
  console.log(`\n${pc.bold(pc.cyan(`── ${text}`))}`);
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`expected: ${what}`);
  console.log(pc.green(`✓ ${what}`));
}
