import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
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
    ["full", "k".repeat(64 * 1024)],
    ["long", `${secret}${"k".repeat(64 * 1024)}`],
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
});

afterAll(() => rm(top, { recursive: true, force: true }));

const createEnvSource = (name: string): ValueSource => ({ from: "env", name });
const createFileSource = (path: string): ValueSource => ({ from: "file", path });
const createExecSource = (...command: string[]): ValueSource => ({ from: "exec", command });
const createScriptSource = (text: string, timeoutMs?: number): ValueSource => ({
  from: "exec",
  command: [process.execPath, "-e", text, secret],
  ...(timeoutMs === undefined ? {} : { timeoutMs }),
});

const environment = {
  PATH: process.env.PATH,
  KEY: secret,
  PADDED: ` ${secret}\n`,
  NONE: "",
  BLANK: " ",
};
const createWorld = () => ({ root, allowCode: true, environment, system: nodeSystem });

describe("secret source", () => {
  test.each([
    ["an environment variable", createEnvSource("KEY"), secret],
    ["an environment variable, without a final newline", createEnvSource("PADDED"), ` ${secret}`],
    ["a file", createFileSource("keys/plain"), secret],
    ["a file, without the newline an editor adds", createFileSource("keys/newline"), secret],
    ["a file, without the line ending Windows adds", createFileSource("keys/crlf"), secret],
    ["a file, with all newlines but one", createFileSource("keys/two-newlines"), `${secret}\n`],
    ["a file, without a byte order mark", createFileSource("keys/bom"), secret],
    ["a file of exactly 64 KB", createFileSource("keys/full"), "k".repeat(64 * 1024)],
    ["a file through a link inside the project", createFileSource("keys/link"), secret],
    ["a file with `..` in its path", createFileSource("keys/../keys/plain"), secret],
    ["the output of a command", createScriptSource("console.log(process.argv[1])"), secret],
    [
      "the output of a command without its messages",
      createScriptSource("console.error(1); console.log(2)"),
      "2",
    ],
    ["the output of a command without input", createExecSource("sh", "-c", "cat; echo end"), "end"],
  ])("reads %s", async (_, source, value) => {
    expect((await resolve(source, createWorld())).reveal()).toBe(value);
  });

  // command.test.ts tests the command's arguments and environment variables.
  test("runs a command in the project folder", async () => {
    expect((await resolve(createExecSource("pwd"), createWorld())).reveal()).toBe(root);
  });

  test("reads a file from a project folder behind a symlink", async () => {
    const found = await resolve(createFileSource("keys/plain"), {
      allowCode: true,
      root: join(top, "way-in"),
      environment,
      system: nodeSystem,
    });
    expect(found.reveal()).toBe(secret);
  });
});

test("names the source and a fix in each source error, without showing a value", async () => {
  const cases: readonly (readonly [where: string, source: ValueSource])[] = [
    ["a variable that is not set", createEnvSource("GONE")],
    ["a variable named like an object property", createEnvSource("constructor")],
    ["an empty variable", createEnvSource("NONE")],
    ["a blank variable", createEnvSource("BLANK")],
    ["a file that does not exist", createFileSource("keys/gone")],
    ["a path through a file", createFileSource("keys/plain/x")],
    ["an empty file", createFileSource("keys/empty")],
    ["a blank file", createFileSource("keys/blank")],
    ["a file outside", createFileSource("../outside")],
    ["a file outside that does not exist", createFileSource("../gone")],
    ["an absolute path", createFileSource("/etc/hostname")],
    ["a link that leads outside", createFileSource("keys/escape")],
    ["a folder", createFileSource("keys")],
    ["a pipe without a writer", createFileSource("keys/pipe")],
    ["a long file", createFileSource("keys/long")],
    ["a binary file", createFileSource("keys/binary")],
    ["a missing program", createExecSource("no-such-program", secret)],
    ["a file that is not executable", createExecSource("./keys/plain")],
    ["a command with a null byte", createExecSource("echo", `${secret}\0`)],
    [
      "a command that fails",
      createScriptSource("console.log(process.argv[1]); console.error(process.argv[1]); process.exit(3)"),
    ],
    [
      "a command that is killed",
      createScriptSource("process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 9e3)"),
    ],
    ["a command that prints nothing", createScriptSource("console.log()")],
    [
      "a command with endless output",
      createScriptSource("const p = () => process.stdout.write(process.argv[1].repeat(999), p); p()"),
    ],
    [
      "a command that does not end",
      createScriptSource("console.log(process.argv[1]); setTimeout(() => {}, 1e5)", 200),
    ],
  ];
  const messages: string[] = [];
  for (const [where, source] of cases) {
    const error: unknown = await resolve(source, createWorld()).catch((thrown: unknown) => thrown);
    if (!(error instanceof SourceError)) throw error;
    expect(error.source).toBe(describeSource(source));
    messages.push(`${where}\n  ${error.code}: ${error.message.replaceAll(process.execPath, "node")}\n`);
    const shown = [
      inspect(error, { depth: 9, showHidden: true }),
      String(error),
      JSON.stringify(error),
    ].join();
    const base64 = Buffer.from(secret).toString("base64").slice(0, 12);
    for (const trace of ["canary", encodeURIComponent(secret), base64]) expect(shown).not.toContain(trace);
  }
  await expect(messages.join("")).toMatchFileSnapshot("sources.txt");
});

test("reads no secret source after a cancellation", async () => {
  const signal = AbortSignal.abort();
  for (const source of [
    createEnvSource("KEY"),
    createFileSource("keys/plain"),
    createExecSource("touch", join(top, "touched")),
  ]) {
    await expect(resolve(source, { ...createWorld(), signal })).rejects.toMatchObject({ code: "cancelled" });
  }
  expect(existsSync(join(top, "touched"))).toBe(false);
});

test("omits arguments that might be secret from a source description", () => {
  const sources = [
    createEnvSource("KEY"),
    createFileSource("a b.txt"),
    createExecSource("op", "read", "op://x"),
    createExecSource("curl", "-utom:pw"),
    createExecSource("get-key"),
  ];
  expect(sources.map((source) => describeSource(source))).toEqual([
    "environment variable KEY",
    "file a b.txt",
    "command op read …",
    "command curl …",
    "command get-key",
  ]);
});
