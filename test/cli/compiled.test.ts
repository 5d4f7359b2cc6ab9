import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findBuilt } from "../built.js";
import { startEmulator } from "../documented-emulator.js";
import { type Ended, execute } from "../installing.js";
import { newFolder } from "./hosting.js";

/* Tests the compile cache of the built command. Cache problems must not fail a command. */

const program = findBuilt();
const valid = { exit: 0, stdout: "", stderr: "" };

/** Creates a project and a separate cache folder. */
async function newProject() {
  const root = await newFolder();
  const [folder, caches] = [path.join(root, "project"), path.join(root, "caches")];
  for (const one of [folder, caches]) mkdirSync(one);
  writeFileSync(path.join(folder, "avatarops.yaml"), "contexts: { desk: { name: Desk, prompt: Hi. } }\n");
  const cache = path.join(caches, "avatarops");
  return {
    root,
    folder,
    cache,
    validate(env: Record<string, string> = {}): Promise<Ended> {
      const surroundings = { HOME: root, XDG_CACHE_HOME: caches, ...env };
      return execute(process.execPath, [program, "validate", "-q"], { cwd: folder, env: surroundings });
    },
    /** Lists cached files with their inodes, which change on rewrite. */
    kept: () => listFiles(cache).map((file) => [file, statSync(file).ino] as const),
  };
}

function listFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.isFile()).map((one) => path.join(one.parentPath, one.name));
}

test("writes the compile cache once, outside the project and accessible only to its user", async () => {
  const { folder, cache, validate, kept } = await newProject();
  expect(await validate()).toEqual(valid);
  const first = kept();
  expect(first).not.toEqual([]);
  expect(statSync(cache).mode & 0o777).toBe(0o700);

  expect(await validate()).toEqual(valid);
  expect(kept()).toEqual(first);
  expect(readdirSync(folder)).toEqual(["avatarops.yaml"]);
});

test("caches the compiled HTTP client after a command that needs it", async () => {
  const { folder, cache, kept } = await newProject();
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const env = {
    HOME: path.dirname(folder),
    XDG_CACHE_HOME: path.dirname(cache),
    AVATAROPS_BASE_URL: emulator.url,
    AVATAROPS_API_KEY: "test-key",
  };
  const plan = () => execute(process.execPath, [program, "plan", "-q"], { cwd: folder, env });
  expect(await plan()).toMatchObject({ exit: 0 });
  const first = kept();
  expect(first).toHaveLength(2);

  expect(await plan()).toMatchObject({ exit: 0 });
  expect(kept()).toEqual(first);
});

test.each([
  ["no folder can be created", { HOME: "/dev/null", XDG_CACHE_HOME: "/dev/null/caches" }],
  ["the cache folder is a relative path", { XDG_CACHE_HOME: "caches" }],
  ["Node's compile cache is disabled", { NODE_DISABLE_COMPILE_CACHE: "1" }],
])("caches no compiled code if %s", async (_, env) => {
  const { folder, cache, validate } = await newProject();
  expect(await validate(env)).toEqual(valid);
  expect(() => statSync(cache)).toThrow("ENOENT");
  expect(readdirSync(folder)).toEqual(["avatarops.yaml"]);
});

test.each([
  ["a folder that others can write to", "caches/avatarops", 0o777],
  ["a folder with git's default mode", "caches/avatarops", 0o755],
  ["a folder that others can replace", "caches", 0o777],
])("writes no compiled code to %s", async (_, made, mode) => {
  const { root, cache, validate, kept } = await newProject();
  mkdirSync(path.join(root, made), { recursive: true });
  chmodSync(path.join(root, made), mode);
  expect(await validate()).toEqual(valid);
  expect(existsSync(cache) ? kept() : []).toEqual([]);
});

test.each(["caches", "linked"])(
  "neither writes nor runs compiled code if the cache folder (%s) is inside a checkout",
  async (named) => {
    const { root, cache, validate, kept } = await newProject();
    symlinkSync("caches", path.join(root, "linked"));
    await validate();
    const before = kept();
    expect(before).not.toEqual([]);
    for (const [file] of before) writeFileSync(file, "committed");
    mkdirSync(path.join(root, ".git"));

    expect(await validate({ XDG_CACHE_HOME: path.join(root, named) })).toEqual(valid);
    expect(listFiles(cache).map((file) => readFileSync(file, "latin1"))).toEqual(
      before.map(() => "committed"),
    );

    rmSync(cache, { recursive: true });
    expect(await validate()).toEqual(valid);
    expect(existsSync(cache)).toBe(false);
  },
);

test("replaces damaged files in the compile cache and removes only its own old files", async () => {
  const { cache, validate } = await newProject();
  await validate();
  const [code = ""] = listFiles(cache);
  const old = path.join(cache, "0123456789abcdef-v20.19.0-x64-plan");
  const others = path.join(cache, "notes.md");
  for (const file of [old, others]) {
    writeFileSync(file, "old");
    utimesSync(file, 0, 0);
  }
  writeFileSync(code, "not code");

  expect(await validate()).toEqual(valid);
  expect(readFileSync(code, "latin1")).not.toBe("not code");
  expect(existsSync(others)).toBe(true);
  expect(existsSync(old)).toBe(false);
});

test("names the Node.js version in the error if it is too old", async () => {
  const { folder } = await newProject();
  const old = `Object.defineProperty(process, "versions", { value: { node: "18.20.8" } });
    Object.defineProperty(process, "version", { value: "v18.20.8" });`;
  writeFileSync(path.join(folder, "old.cjs"), old);
  const args = ["--require", "./old.cjs", program, "validate"];
  expect(await execute(process.execPath, args, { cwd: folder, env: {} })).toEqual({
    exit: 1,
    stdout: "",
    stderr: "avatarops runs on Node.js 20.19 or later, and this is v18.20.8.\n",
  });
});
