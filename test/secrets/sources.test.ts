import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  describe as describeSource,
  resolve,
  SourceError,
  type ValueSource,
} from "../../src/core/secrets/index.js";

const secret = 'K/canary+"0001"\u00e9';
let top = "";
let root = "";

beforeAll(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "avatarops-secrets-")));
  root = join(top, "project");
  await mkdir(join(root, "keys"), { recursive: true });
  const files: [string, string | Uint8Array][] = [
    ["plain", secret],
    ["newline", `${secret}\n`],
    ["crlf", `${secret}\r\n`],
    ["two-newlines", `${secret}\n\n`],
    ["bom", `\uFEFF${secret}`],
    ["full", "x".repeat(64 * 1024)],
    ["long", `${secret}${"x".repeat(64 * 1024)}`],
    ["empty", ""],
    ["blank", " \n"],
    ["binary", Buffer.concat([Buffer.from(secret), Buffer.from([0xff, 0xfe])])],
  ];
  for (const [name, content] of files) await writeFile(join(root, "keys", name), content);
  await writeFile(join(top, "outside"), secret);
  await symlink("../../outside", join(root, "keys/escape"));
  await symlink("plain", join(root, "keys/link"));
  await symlink(root, join(top, "way-in"));
  execFileSync("mkfifo", [join(root, "keys/pipe")]);
  await writeFile(
    join(root, "speak.mjs"),
    "console.log(process.cwd(), process.env.GIVEN, process.argv.slice(2).join());",
  );
});

afterAll(() => rm(top, { recursive: true, force: true }));

const env = (name: string): ValueSource => ({ from: "env", name });
const file = (path: string): ValueSource => ({ from: "file", path });
const exec = (...command: string[]): ValueSource => ({ from: "exec", command });
const script = (text: string, timeoutMs?: number): ValueSource => ({
  from: "exec",
  command: [process.execPath, "-e", text, secret],
  ...(timeoutMs === undefined ? {} : { timeoutMs }),
});

const environment = {
  PATH: process.env.PATH,
  GIVEN: "given",
  KEY: secret,
  PADDED: ` ${secret}\n`,
  NONE: "",
  BLANK: " ",
};
const world = () => ({ root, environment });

describe("a value is found in", () => {
  test.each([
    ["an environment variable", env("KEY"), secret],
    ["an environment variable, without a final newline", env("PADDED"), ` ${secret}`],
    ["a file", file("keys/plain"), secret],
    ["a file, without the newline an editor adds", file("keys/newline"), secret],
    ["a file, without the line ending Windows adds", file("keys/crlf"), secret],
    ["a file, with all newlines but one", file("keys/two-newlines"), `${secret}\n`],
    ["a file, without a byte order mark", file("keys/bom"), secret],
    ["a file of exactly 64 KB", file("keys/full"), "x".repeat(64 * 1024)],
    ["a file through a link inside the project", file("keys/link"), secret],
    ["a file named in a roundabout way", file("keys/../keys/plain"), secret],
    ["what a command prints", script("console.log(process.argv[1])"), secret],
    ["what a command prints, its messages left out", script("console.error(1); console.log(2)"), "2"],
    ["what a command prints, given nothing to read", exec("sh", "-c", "cat; echo end"), "end"],
  ])("%s", async (_, source, value) => {
    expect((await resolve(source, world())).reveal()).toBe(value);
  });

  test("a command run in the project, with the environment, and no shell", async () => {
    const source = exec(process.execPath, "speak.mjs", "$GIVEN", "a b", ";ls");
    expect((await resolve(source, world())).reveal()).toBe(`${root} given $GIVEN,a b,;ls`);
  });

  test("a project folder that is itself behind a link", async () => {
    const found = await resolve(file("keys/plain"), { root: join(top, "way-in"), environment });
    expect(found.reveal()).toBe(secret);
  });
});

const by = "Run it by hand in the project folder to see why.";
const node = process.execPath;

describe("no value is found in", () => {
  const cases: [string, ValueSource, string, string][] = [
    [
      "a variable that is not set",
      env("GONE"),
      "not-set",
      "environment variable GONE is not set. Set it, for example from the secrets of your CI.",
    ],
    [
      "a variable of the language's own",
      env("constructor"),
      "not-set",
      "environment variable constructor is not set. Set it, for example from the secrets of your CI.",
    ],
    [
      "an empty variable",
      env("NONE"),
      "empty",
      "environment variable NONE is empty. Give it a value. CI systems pass an empty text for a secret that does not exist.",
    ],
    [
      "a blank variable",
      env("BLANK"),
      "empty",
      "environment variable BLANK is empty. Give it a value. CI systems pass an empty text for a secret that does not exist.",
    ],
    [
      "a file that does not exist",
      file("keys/gone"),
      "not-found",
      "file keys/gone does not exist. Create it, or correct its path. The path shown is relative to the project folder; in YAML, paths are relative to the file they are written in.",
    ],
    [
      "a path through a file",
      file("keys/plain/x"),
      "not-found",
      "file keys/plain/x does not exist: a part of its path is a file, not a folder. Correct its path.",
    ],
    ["an empty file", file("keys/empty"), "empty", "file keys/empty is empty. Give it a value."],
    ["a blank file", file("keys/blank"), "empty", "file keys/blank is empty. Give it a value."],
    [
      "a file outside",
      file("../outside"),
      "outside-project",
      "file ../outside is outside the project folder. Move it inside, or use !exec or !env.",
    ],
    [
      "a file outside that does not exist",
      file("../gone"),
      "outside-project",
      "file ../gone is outside the project folder. Move it inside, or use !exec or !env.",
    ],
    [
      "an absolute path",
      file("/etc/hostname"),
      "outside-project",
      "file /etc/hostname is outside the project folder. Move it inside, or use !exec or !env.",
    ],
    [
      "a link that leads outside",
      file("keys/escape"),
      "outside-project",
      "file keys/escape is outside the project folder. Move it inside, or use !exec or !env.",
    ],
    ["a folder", file("keys"), "unreadable", "file keys is not a file. Name a text file."],
    [
      "a pipe nobody writes to",
      file("keys/pipe"),
      "unreadable",
      "file keys/pipe is not a file. Name a text file.",
    ],
    [
      "a long file",
      file("keys/long"),
      "too-long",
      "file keys/long has more than 64 KB, which is too long for a secret.",
    ],
    [
      "a file that is no text",
      file("keys/binary"),
      "unreadable",
      "file keys/binary is not UTF-8 text. Encode it, e.g. as base64.",
    ],
    [
      "a program that is not there",
      exec("no-such-program", secret),
      "not-found",
      "command no-such-program … was not found. Install the program, or correct its name or your PATH.",
    ],
    [
      "a file that is no program",
      exec("./keys/plain"),
      "failed",
      `command ./keys/plain could not be started: the system reports EACCES. ${by}`,
    ],
    [
      "a command that cannot be",
      exec("echo", `${secret}\0`),
      "failed",
      `command echo … could not be started: the system reports ERR_INVALID_ARG_VALUE. ${by}`,
    ],
    [
      "a command that fails",
      script("console.log(process.argv[1]); console.error(process.argv[1]); process.exit(3)"),
      "failed",
      `command ${node} … ended with exit code 3. ${by}`,
    ],
    [
      "a command that is killed",
      script("process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 9e3)"),
      "failed",
      `command ${node} … ended with signal SIGTERM. ${by}`,
    ],
    [
      "a command that prints nothing",
      script("console.log()"),
      "empty",
      `command ${node} … is empty. Give it a value.`,
    ],
    [
      "a command that prints without end",
      script("const p = () => process.stdout.write(process.argv[1].repeat(999), p); p()"),
      "too-long",
      `command ${node} … prints more than 64 KB, which is too long for a secret.`,
    ],
    [
      "a command that does not end",
      script("console.log(process.argv[1]); setTimeout(() => {}, 1e5)", 200),
      "timed-out",
      `command ${node} … did not end within 0.2 s and was stopped. ${by}`,
    ],
  ];
  test.each(cases)("%s; the error names the source and holds no value", async (_, source, code, message) => {
    const error: unknown = await resolve(source, world()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SourceError);
    expect(error).toMatchObject({ code, message: `The ${message}`, source: describeSource(source) });
    const shown = [
      inspect(error, { depth: 9, showHidden: true }),
      String(error),
      JSON.stringify(error),
    ].join();
    const base64 = Buffer.from(secret).toString("base64").slice(0, 12);
    for (const trace of ["canary", encodeURIComponent(secret), base64]) expect(shown).not.toContain(trace);
  });
});

describe("a command that is stopped leaves no process behind,", () => {
  const leavesPid = (pidFile: string, timeoutMs: number): ValueSource => ({
    from: "exec",
    command: ["sh", "-c", `sleep 100 & echo $! > ${pidFile}; wait`],
    timeoutMs,
  });

  test.each(["for its time", "for a cancellation"])("%s", async (why) => {
    const pidFile = join(top, why.replaceAll(" ", "-"));
    const stop = new AbortController();
    const timeoutMs = why === "for its time" ? 500 : 60_000;
    const running = resolve(leavesPid(pidFile, timeoutMs), { ...world(), signal: stop.signal });
    const ended = expect(running).rejects.toMatchObject({
      code: why === "for its time" ? "timed-out" : "cancelled",
    });
    while (!existsSync(pidFile) || (await readFile(pidFile, "utf8")) === "") await sleep(5);
    if (why !== "for its time") stop.abort();
    await ended;
    const pid = Number(await readFile(pidFile, "utf8"));
    for (let tries = 0; tries < 200 && (await runs(pid)); tries++) await sleep(10);
    expect(await runs(pid)).toBe(false);
  });

  /** Not a dead process that nobody has asked after. */
  async function runs(pid: number): Promise<boolean> {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") Z");
    return !stat.includes(") Z");
  }
});

test("after a cancellation nothing is looked up", async () => {
  const signal = AbortSignal.abort();
  for (const source of [env("KEY"), file("keys/plain"), exec("touch", join(top, "touched"))]) {
    await expect(resolve(source, { ...world(), signal })).rejects.toMatchObject({ code: "cancelled" });
  }
  expect(existsSync(join(top, "touched"))).toBe(false);
});

test("a source is described without the arguments that might be secret", () => {
  const sources = [
    env("KEY"),
    file("a b.txt"),
    exec("op", "read", "op://x"),
    exec("curl", "-utom:pw"),
    exec("get-key"),
  ];
  expect(sources.map((source) => describeSource(source))).toEqual([
    "environment variable KEY",
    "file a b.txt",
    "command op read …",
    "command curl …",
    "command get-key",
  ]);
});
