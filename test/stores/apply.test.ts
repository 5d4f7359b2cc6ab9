// @module-tag ci
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "../../src/core/state/index.js";
import { matchText, startProject } from "../cli/hosting.js";
import { git } from "../git/repositories.js";
import { createMachine } from "../state/building.js";
import { type FaultProxy, startFaultProxy } from "../state/fault-proxy.js";
import { newRemote, startHttpBackend as startGitBackend } from "../state/git-servers.js";
import { credentials, gitlabPath, type HttpBackend, startHttpBackend } from "./http-backend.js";
import { formatS3Location } from "./s3-fixture.js";
import { s3Credentials, startMoto } from "./s3-servers.js";

let backend: HttpBackend;
let faults: FaultProxy;
beforeAll(async () => {
  backend = await startHttpBackend("gitlab");
  faults = await startFaultProxy(backend.port);
});
afterAll(async () => {
  await faults.close();
  await backend.close();
});

const contexts = "contexts: { a: { name: A, prompt: One }, b: { name: B, prompt: Two } }";

// compliance.ts tests that each store reads back its texts after a lost response.
test("creates no unrecorded or duplicate objects if the store fails at any request", async () => {
  let at = 0;
  for (let isRefused = true; isRefused; at++) {
    const path = `${gitlabPath}/apply-${at}`;
    const project = await startProject({
      files: { "avatarops.yaml": `state: http://127.0.0.1:${faults.port}${path}\n${contexts}\n` },
      environment: credentials,
    });
    faults.disturb((request) => (request >= at ? "refused" : undefined));
    const waits = { backoffMs: 1, settleMs: 0, tickMs: 0, storeMs: 50 };
    const { exit, stdout, stderr } = await project.avataropsWith({ waits }, "apply", "--auto-approve");
    isRefused = faults.requests > at;
    faults.disturb(() => undefined);

    const store = openStore(`http://127.0.0.1:${backend.port}${path}`, {
      ...createMachine(),
      environment: credentials,
    });
    const { state } = (await store.read()) ?? {};
    const known = [...Object.keys(state?.objects ?? {}), ...Object.keys(state?.pending ?? {})];
    const created = project.emulator.world.contexts.map(({ name }) => `context.${name.toLowerCase()}`);
    expect(known, `request ${at}: ${stdout}${stderr}`).toEqual(expect.arrayContaining(created));
    // A run that could not write its state must not succeed.
    if (exit === 0) expect([...Object.keys(state?.objects ?? {})].sort()).toEqual(created.sort());

    await store.unlock({ force: true });
    const again = await project.avatarops("apply", "--auto-approve");
    expect(again, again.stdout + again.stderr).toMatchObject({ exit: 0 });
    expect(project.emulator.world.contexts).toHaveLength(2);
    await project.expectNothingToDo();
  }
  expect(at).toBeGreaterThan(8);
});

test("does not retry a lost state write on a plain HTTP server, and sends no changes", async () => {
  const plain = await startHttpBackend("terraform");
  onTestFinished(() => plain.close());
  const project = await startProject({
    files: { "avatarops.yaml": `state: http://127.0.0.1:${plain.port}/states/late\n${contexts}\n` },
    environment: credentials,
  });
  let arrive = () => {};
  const isLate = new Promise<undefined>((resolve) => {
    arrive = () => resolve(undefined);
  });
  plain.answer = ({ method, socket }) => {
    if (method !== "POST") return undefined;
    plain.answer = undefined;
    socket.destroy();
    return isLate;
  };
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 1 });
  expect(plain.requests.filter((request) => request.startsWith("POST"))).toHaveLength(1);
  expect(project.emulator.world.contexts).toHaveLength(0);

  arrive();
  await vi.waitFor(() => expect(plain.states.get("/states/late")?.text).toContain("context.b"));
  await project.expectApplied();
  expect(project.emulator.world.contexts).toHaveLength(2);
});

test("completes an apply that cannot release its lock, and reports the fix once", async () => {
  const project = await startProject({
    files: { "avatarops.yaml": `state: http://127.0.0.1:${backend.port}${gitlabPath}/held\n${contexts}\n` },
    environment: credentials,
  });
  let asked = 0;
  backend.answer = ({ method }) => {
    if (method !== "DELETE") return undefined;
    asked += 1;
    return { status: 502, text: "Bad gateway" };
  };
  const { exit, stdout, stderr } = await project.avatarops("apply", "--auto-approve", "--format", "json");
  backend.answer = undefined;
  expect({ exit, stderr }).toMatchObject({
    exit: 0,
    stderr: matchText("the state lock could not be released"),
  });
  expect(JSON.parse(stdout)).toMatchObject({ exit: "done" });
  expect(stderr.match(/could\s+not\s+be\s+released/g)).toHaveLength(1);
  expect(stderr).toMatch(/avatarops\s+state\s+unlock/);
  expect(asked).toBeGreaterThan(3);
});

test("leaves no store connection open after any command", async () => {
  const at = (name: string) => `http://127.0.0.1:${backend.port}${gitlabPath}/${name}`;
  const project = await startProject({
    files: { "avatarops.yaml": `state: ${at("connections")}\n${contexts}\n` },
    environment: credentials,
  });
  const noneIsLeft = () => vi.waitFor(async () => expect(await backend.connections()).toBe(0));
  const commands = [["apply", "--auto-approve"], ["plan"], ["history", "--limit", "1"]];
  for (const argv of commands) {
    expect(await project.avatarops(...argv), argv.join(" ")).toMatchObject({ exit: 0 });
    await noneIsLeft();
  }
  const store = openStore(at("connections"), { ...createMachine(), environment: credentials });
  const held = await store.lock({ command: "test", timeoutMs: 0 });
  const refused = ["apply", "--auto-approve", "--lock-timeout", "0s"];
  expect((await project.avatarops(...refused)).exit).not.toBe(0);
  await held.release();
  expect((await project.avatarops("state", "unlock", "--force")).exit).toBe(0);
  await noneIsLeft();
  const migrate = ["state", "migrate", "--to", at("connections-moved")];
  for (const exit of [0, 1]) {
    expect(await project.avatarops(...migrate)).toMatchObject({ exit });
    await noneIsLeft();
  }
});

/** Returns the number of store requests in a first apply of a thousand contexts. */
async function countForThousand(
  location: string,
  count: () => number,
  prepare?: (folder: string) => void,
): Promise<number> {
  const names = Array.from({ length: 1_000 }, (_, at) => `c${at}`);
  const declared = names.map((name) => `  ${name}: { name: ${name}, prompt: Hello }`).join("\n");
  const project = await startProject({
    files: { "avatarops.yaml": `state: ${location}\ncontexts:\n${declared}\n` },
  });
  prepare?.(project.folder);
  const before = count();
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect(project.emulator.world.contexts).toHaveLength(1_000);
  return count() - before;
}

test("needs 12 git pushes for a first apply of a thousand contexts", async () => {
  const remote = await startGitBackend(newRemote());
  const pushes = () => remote.requests().filter((request) => request === "POST /git-receive-pack").length;
  const sent = await countForThousand("git+refs://origin/avatarops/many", pushes, (folder) => {
    git(folder, "init", "--quiet");
    git(folder, "remote", "add", "origin", remote.url);
  });
  expect(sent).toBe(12);
});

test("keeps outcomes in the journal if git rejects the state", async () => {
  const project = await startProject({
    files: { "avatarops.yaml": `state: git+refs://origin/avatarops/refused\n${contexts}\n` },
  });
  const remote = newRemote();
  git(project.folder, "init", "--quiet");
  git(project.folder, "remote", "add", "origin", remote.url);
  const hook = path.join(remote.folder, "hooks/update");
  await writeFile(hook, '#!/bin/sh\ncase "$1" in refs/avatarops/*) exit 1 ;; esac\n', { mode: 0o755 });
  const refused = await project.avatarops("apply", "--auto-approve");
  expect(refused.exit, refused.stdout).not.toBe(0);
  expect(refused.stdout + refused.stderr).not.toContain("avatarops import");
  expect(project.emulator.world.contexts).toHaveLength(2);

  await rm(hook);
  const { length } = project.emulator.requests;
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect(project.emulator.requests.slice(length).filter(({ method }) => method !== "GET")).toEqual([]);
  await project.expectNothingToDo();
});

test("needs at most 30 S3 requests for a first apply of a thousand contexts", {
  tags: "moto",
}, async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", s3Credentials.AWS_ACCESS_KEY_ID);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", s3Credentials.AWS_SECRET_ACCESS_KEY);
  const server = await startMoto();
  const counting = await startFaultProxy(server.port);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await counting.close();
    await server.close();
  });
  const sent = await countForThousand(formatS3Location("many.json", counting.port), () => counting.requests);
  expect(sent).toBeLessThanOrEqual(30);
});

test("summarizes each apply in the state ref's git log", async () => {
  const declared = (...names: string[]) =>
    `state: git+refs://origin/avatarops/log\ncontexts: { ${names.map((name) => `${name}: { name: ${name}, prompt: Hello }`)} }\n`;
  const project = await startProject({ files: { "avatarops.yaml": declared("a") } });
  const remote = newRemote();
  git(project.folder, "init", "--quiet");
  git(project.folder, "remote", "add", "origin", remote.url);
  const steps = [
    ["a", "b"],
    ["a", "b", "c", "d", "e", "f"],
    ["a", "b", "c", "d", "e"],
  ];
  for (const names of [["a"], ...steps]) {
    await project.write("avatarops.yaml", declared(...names));
    expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  }
  expect(await project.avatarops("state", "mv", "context.a", "context.z")).toMatchObject({ exit: 0 });
  const log = git(remote.folder, "log", "--format=%B%x00", "refs/avatarops/log").split("\0");
  expect(log.map((message) => message.trim())).toEqual([
    "state mv: context.a is now context.z\n\nHost: test-host",
    "apply: 1 forgotten\n\nHost: test-host",
    "apply: 4 created\n\nHost: test-host",
    "apply: 1 created\n\nHost: test-host",
    "apply: 1 created\n\nHost: test-host",
    "",
  ]);
});
