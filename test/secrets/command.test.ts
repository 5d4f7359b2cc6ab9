import { mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import { resolve, SourceError, type ValueSource } from "../../src/core/secrets/index.js";

/* Tests the arguments, environment and child processes of commands used as secret sources. */

let root = "";

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "avatarops-command-")));
});

afterAll(() => rm(root, { recursive: true, force: true }));

function createScript(text: string, timeoutMs = 60_000): ValueSource {
  return { from: "exec", command: [process.execPath, "-e", text], timeoutMs };
}

async function readValue(source: ValueSource, environment: Record<string, string> = {}): Promise<string> {
  return (await resolve(source, { allowCode: true, root, environment, system: nodeSystem })).reveal();
}

test("passes only the supplied environment variables to a command", async () => {
  const source = createScript("console.log(JSON.stringify(Object.keys(process.env)))");
  expect(JSON.parse(await readValue(source, { ONLY: "this" }))).toEqual(["ONLY"]);
});

test("passes arguments to a command unchanged, including an empty argument", async () => {
  const words = ["$HOME", "`id`", "a b", "*", "; echo no", "", "é🔑"];
  const command = [process.execPath, "-p", "JSON.stringify(process.argv.slice(1))", "--", ...words];
  expect(JSON.parse(await readValue({ from: "exec", command }))).toEqual(words);
});

test("allows a secret command to run for weeks if the manifest sets a timeout that long", async () => {
  expect(await readValue(createScript("console.log('key')", 3_000_000_000))).toBe("key");
});

/** Starts a child and a grandchild, and runs `then` once both are running. */
function createFamily(then: string): ValueSource {
  const wait = (name: string) =>
    `fs.writeFileSync("${name}", String(process.pid)); setInterval(() => {}, 1e5);`;
  const start = (text: string) =>
    `child_process.spawn(process.execPath, ["-e", ${JSON.stringify(text)}], { stdio: "inherit" });`;
  const begin = `fs.writeFileSync("parent", String(process.pid)); ${start(wait("child") + start(wait("grandchild")))}`;
  const whenAllRun = `const ready = setInterval(() => {
    if (!["child", "grandchild"].every((name) => fs.existsSync(name) && fs.statSync(name).size > 0)) return;
    clearInterval(ready);
    fs.writeFileSync("ready", "yes");
    ${then}
  }, 5);`;
  return createScript(begin + whenAllRun);
}

async function readText(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}

/** Whether a process runs and is not a zombie. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => ") Z");
  return !stat.includes(") Z");
}

describe("command with children and grandchildren", () => {
  test.each([
    ["if it is cancelled", "cancelled", ""],
    ["if it is cancelled after its own end", "cancelled", "process.exit();"],
    ["if it times out", "timed-out", ""],
    ["if it prints too much", "too-long", "console.log('x'.repeat(1e5));"],
  ])("is stopped together with all its descendants %s", async (way, code, then) => {
    const own = join(root, way.replaceAll(" ", "-"));
    await mkdir(own);
    const stop = new AbortController();
    const source = { ...createFamily(then), ...(code === "timed-out" && { timeoutMs: 3_000 }) };
    const ended = resolve(source, {
      allowCode: true,
      root: own,
      environment: {},
      system: nodeSystem,
      signal: stop.signal,
    }).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (code !== "timed-out") await expect.poll(() => readText(join(own, "ready"))).toBe("yes");
    if (code === "cancelled") stop.abort();
    const error = await ended;
    const names = ["parent", "child", "grandchild"];
    const pids = await Promise.all(names.map(async (name) => Number(await readText(join(own, name)))));
    expect(error).toBeInstanceOf(SourceError);
    expect(error).toMatchObject({ code });
    const stillRunning = async () => (await Promise.all(pids.map(isRunning))).filter((running) => running);
    await expect.poll(stillRunning).toEqual([]);
  });
});

test("does not wait for a daemon that a command leaves running", async () => {
  const source = createScript(`
    const daemon = child_process.spawn(process.execPath, ["-e", "setTimeout(() => {}, 3e4)"], { stdio: "ignore", detached: true });
    daemon.unref();
    console.log(daemon.pid);
  `);
  const pid = Number(await readValue(source));
  expect(await isRunning(pid)).toBe(true);
  process.kill(pid, "SIGKILL");
});
