// @module-tag ci
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { findPassages } from "../../scripts/docs/passages.js";
import { generateDataset } from "../../src/emulator/index.js";
import { startProject } from "../cli/hosting.js";

const repository = path.resolve(import.meta.dirname, "../..");
const example = path.join(repository, "examples/kiosk");
const avatarId = "a03779b1-9e37-4a1b-9c2d-5ee0fe120000";

test("compiles the kiosk example and issues tokens without exposing errors or logging tokens", async () => {
  const world = generateDataset({ avatars: 1 });
  const project = await startProject({
    world: { ...world, avatars: world.avatars.map((avatar) => ({ ...avatar, id: avatarId })) },
  });
  await cp(example, project.folder, { recursive: true });
  await mkdir(path.join(project.folder, "node_modules"));
  await symlink(repository, path.join(project.folder, "node_modules/avatarops"));
  await project.write("package.json", '{ "type": "module" }');

  const types = await project.avatarops("generate", "types");
  expect(types).toMatchObject({ exit: 0, stdout: await project.read("avatarops.d.ts") });
  await project.write("documented.ts", findPassages("docs/library.md", "ts")[0] ?? "");
  const tsc = path.join(repository, "node_modules/typescript/bin/tsc");
  const borrowed = ["--typeRoots", path.join(repository, "node_modules/@types"), "--types", "node"];
  const compiled = await promisify(execFile)(process.execPath, [tsc, "-p", project.folder, ...borrowed]);
  expect(compiled.stdout).toBe("");

  await project.avatarops("apply", "--auto-approve");
  await project.write("avatarops.presets.json", (await project.avatarops("generate", "presets")).stdout);

  const server = spawn(
    process.execPath,
    ["--import", path.join(repository, "node_modules/tsx/dist/loader.mjs"), "server.ts"],
    {
      cwd: project.folder,
      env: { PATH: process.env.PATH, PORT: "0", AVATAROPS_API_KEY: "test-key" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  onTestFinished(() => void server.kill("SIGKILL"));
  const logged: string[] = [];
  createInterface({ input: server.stderr as NodeJS.ReadableStream }).on("line", (line) => logged.push(line));
  const port = await readPort(server);

  const ask = async (customer: string) => {
    const url = `http://127.0.0.1:${port}/token?customer=${encodeURIComponent(customer)}`;
    const answer = await fetch(url, { method: "POST" });
    return { status: answer.status, body: (await answer.json()) as { token?: string; error?: string } };
  };
  const answers = await Promise.all(["Anna", "Ben", "Zoë"].map(ask));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(new Set(answers.map(({ body }) => body.token)).size).toBe(3);
  expect(project.emulator.requests.at(-1)?.body).toMatchObject({
    mode: "FULL",
    dynamic_variables: { order: "none yet", customer: expect.any(String) },
  });

  const body = JSON.stringify({ code: 4003, data: null, message: "no credits for Anna" });
  project.emulator.addFault({
    match: { path: "/v1/sessions/token" },
    do: { kind: "status", status: 402, body },
  });
  expect(await ask("Anna")).toEqual({ status: 503, body: { error: "cannot start a session now" } });
  server.kill("SIGTERM");
  await once(server, "close");
  expect(logged.join("\n")).toContain("refused: POST /v1/sessions/token");
  expect(logged.join("\n")).not.toMatch(/Anna|session-token-/);
});

/** Returns the port that a server prints when it starts. */
async function readPort(server: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream })) {
    const port = /port (\d+)/.exec(line)?.[1];
    if (port) return port;
  }
  throw new Error("The server ended before it listened.");
}
