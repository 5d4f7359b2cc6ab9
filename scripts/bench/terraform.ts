import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { program, table } from "./child.js";
import { promptOf } from "./project.js";

const mirror = fileURLToPath(new URL("../../dist/terraform", import.meta.url));

/** What whole commands of the real terraform cost, beside terraform alone. */
export async function terraformCommands(): Promise<void> {
  const rows: (string | number)[][] = [];
  for (const count of [1, 100, 1_000]) {
    const alone = await costOf(count, builtIn);
    const ours = await costOf(count, contexts);
    for (const step of steps) {
      const { seconds, requests } = ours[step];
      const control = alone[step].seconds;
      rows.push([
        step,
        count,
        seconds.toFixed(1),
        control.toFixed(1),
        (seconds / control).toFixed(2),
        requests,
      ]);
    }
  }
  const slow = await costOf(1_000, contexts, 50);
  const { seconds, requests } = slow["plan, nothing to do"];
  rows.push(["plan, nothing to do, 50 ms a request", 1_000, seconds.toFixed(1), "", "", requests]);
  table(
    "Whole commands of terraform over N contexts with prompts of 4 KB, beside N `terraform_data`",
    ["command", "N", "s", "s, terraform alone", "ratio", "requests"],
    rows,
  );
}

const steps = ["plan, all to create", "apply", "plan, nothing to do"] as const;
type Costs = Record<(typeof steps)[number], { seconds: number; requests: number }>;

/** One resource of each sort, by its number. */
type Written = (at: number) => string;

const contexts: Written = (at) => `resource "avatarops_context" "c${at}" {
  name   = "Context ${at}"
  prompt = ${JSON.stringify(promptOf(at, 4_096))}
}
`;

const builtIn: Written = (at) => `resource "terraform_data" "c${at}" {
  input = { name = "Context ${at}", prompt = ${JSON.stringify(promptOf(at, 4_096))} }
}
`;

async function costOf(count: number, written: Written, latencyMs = 0): Promise<Costs> {
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-bench-"));
  const emulator = await startEmulatorProcess();
  try {
    const required = `terraform {\n  required_providers {\n    avatarops = { source = "avatarops/avatarops" }\n  }\n}\n`;
    const resources = Array.from({ length: count }, (_, at) => written(at));
    const configured = written === contexts ? [required, ...resources] : resources;
    await writeFile(path.join(folder, "main.tf"), configured.join("\n"));
    await mkdir(path.join(folder, "home"));
    const cliConfig = `provider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(mirror)}\n  }\n}\n`;
    await writeFile(path.join(folder, "terraformrc"), cliConfig);
    const run = (...args: string[]) => runTerraform(folder, emulator.url, args);
    await run("init");
    const costs = {} as Costs;
    for (const [step, args] of [
      [steps[0], ["plan"]],
      [steps[1], ["apply", "-auto-approve"]],
      [steps[2], ["plan", "-detailed-exitcode"]],
    ] as const) {
      // Applied at full speed: what waits are to be measured in is the last plan.
      if (step === steps[2] && latencyMs > 0) await emulator.ask("POST", "behaviour", { latencyMs });
      await emulator.ask("DELETE", "requests");
      const started = performance.now();
      await run(...args);
      const seconds = (performance.now() - started) / 1000;
      const requests = (await emulator.ask("GET", "requests")) as unknown[];
      costs[step] = { seconds, requests: requests.length };
    }
    return costs;
  } finally {
    await emulator.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Fails with what terraform said; with `-detailed-exitcode`, also when there was something to do. */
async function runTerraform(folder: string, url: string, args: readonly string[]): Promise<void> {
  const child = spawn("terraform", [...args, "-no-color"], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: path.join(folder, "home"),
      TF_CLI_CONFIG_FILE: path.join(folder, "terraformrc"),
      CHECKPOINT_DISABLE: "1",
      AVATAROPS_BASE_URL: url,
      AVATAROPS_API_KEY: "test-key",
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const [exit] = (await once(child, "close")) as [number | null];
  if (exit !== 0) throw new Error(`terraform ${args.join(" ")} ended with ${exit}:\n${said}`);
}

/** The service in a process of its own, so that its work is not counted where the client's is. */
async function startEmulatorProcess() {
  const child = spawn(process.execPath, [program, "emulate", "--empty", "--quiet"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const url = /AVATAROPS_BASE_URL=(\S+)/.exec(line)?.[1] ?? "";
  return {
    url,
    async ask(method: string, what: string, body?: unknown): Promise<unknown> {
      const answer = await fetch(`${url}/_emulator/${what}`, {
        method,
        headers: { "X-API-KEY": "test-key", "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`the emulator refused ${method} ${what}: ${await answer.text()}`);
      return answer.json();
    },
    async close(): Promise<void> {
      child.kill("SIGTERM");
      await once(child, "close");
    },
  };
}
