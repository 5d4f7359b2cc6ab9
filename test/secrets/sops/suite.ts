import { existsSync, readFileSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  currentVersion,
  resolve,
  resolveWithVersion,
  SourceRun,
  type ValueSource,
} from "../../../src/core/secrets/index.js";
import { errorOf } from "../asking.js";

/** Encrypted by SOPS 3.13.3, for the key in `age-key.txt`. */
export const fixtures = import.meta.dirname;
const first = 'kanarie-47/Zx+9 "quoted" \\ %Qw~ümlaut-one-vogel';
const second = 'kanarie-48/Zx+9 "quoted" \\ %Qw~ümlaut-two-vogel';

/** A folder for the PATH, whose `sops` notes that it was started, and then runs a program. */
export async function installSops(folder: string, command: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, "sops");
  await writeFile(file, `#!/bin/sh\necho started >> ${folder}/log\n${command}\n`);
  await chmod(file, 0o755);
}

/** How often it was started. */
export function starts(folder: string): number {
  const log = path.join(folder, "log");
  return existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0;
}

/** What is true of SOPS files with a program that decrypts them; `command` runs it in a shell. */
export function describeSops(title: string, command: string): void {
  describe(title, () => {
    let top = "";
    let root = "";
    const key = path.join(fixtures, "age-key.txt");
    const environment = (more: Record<string, string> = {}) => ({
      root,
      environment: { PATH: `${top}/bin:${process.env.PATH}`, HOME: top, SOPS_AGE_KEY_FILE: key, ...more },
      backoffMs: 0,
    });
    const sops = (file: string, field?: string): ValueSource => ({
      from: "sops",
      path: file,
      ...(field === undefined ? {} : { field }),
    });
    const problem = (source: ValueSource, more?: Record<string, string>) =>
      errorOf(resolve(source, environment(more)));

    beforeAll(async () => {
      top = await realpath(await mkdtemp(path.join(tmpdir(), "avatarops-sops-")));
      root = path.join(top, "project");
      await cp(fixtures, path.join(root, "secrets"), { recursive: true });
      await installSops(path.join(top, "bin"), `exec ${command} "$@"`);
    });
    afterAll(() => rm(top, { recursive: true, force: true }));

    test.each([
      ["production.yaml", "llm.api_key", first],
      ["production.yaml", "keys.0", "kanarie-51-list-vogel"],
      ["production.yaml", "a.dotted.key", "kanarie-52-dotted-vogel"],
      ["rotated.yaml", "llm.api_key", second],
      ["production.json", "llm.api_key", first],
      ["production.env", "LLM_API_KEY", first],
      ["llm.key", undefined, first],
    ])("the value of %s, field %s", async (file, field, value) => {
      const resolved = await resolveWithVersion(sops(`secrets/${file}`, field), environment());
      expect(resolved.value.reveal()).toBe(value);
      expect(resolved.version).toBe(await currentVersion(sops(`secrets/${file}`, field), environment()));
    });

    test("the version is known without a key and without the program, and changes with its field", async () => {
      const before = starts(path.join(top, "bin"));
      const [api, apiAfter, spare, spareAfter] = await Promise.all(
        ["llm.api_key", "llm.spare"].flatMap((field) =>
          ["production.yaml", "rotated.yaml"].map((file) =>
            currentVersion(sops(`secrets/${file}`, field), { root, environment: {} }),
          ),
        ),
      );
      expect(api).toMatch(/^[0-9a-f]{16}$/);
      expect(apiAfter).not.toBe(api);
      expect(spareAfter).toBe(spare);
      expect(starts(path.join(top, "bin"))).toBe(before);
    });

    test("a file is decrypted once in a run, whatever the number of its fields", async () => {
      const before = starts(path.join(top, "bin"));
      const run = new SourceRun();
      const fields = ["llm.api_key", "llm.spare", "keys.0"].map((field) =>
        sops("secrets/production.yaml", field),
      );
      await Promise.all(fields.map((source) => resolve(source, { ...environment(), run })));
      await run.close();
      expect(starts(path.join(top, "bin")) - before).toBe(1);
    });

    test("a file name is one argument, whatever is in it", async () => {
      const name = "--help $(touch ran) `id`.yaml";
      await cp(path.join(fixtures, "production.yaml"), path.join(root, name));
      expect((await resolve(sops(name, "llm.api_key"), environment())).reveal()).toBe(first);
    });

    test.each([
      ["an age key of somebody else", "other-age-key.txt"],
      ["no age key", "no-such-file.txt"],
    ])("%s: refused", async (_, file) => {
      const error = await problem(sops("secrets/production.yaml", "llm.api_key"), {
        SOPS_AGE_KEY_FILE: path.join(fixtures, file),
      });
      expect(error).toMatchObject({
        code: "refused",
        message:
          "The SOPS file secrets/production.yaml, field llm.api_key cannot be decrypted: there is no key for it here. Set SOPS_AGE_KEY, or SOPS_AGE_KEY_FILE, to the key of one of its recipients (`age` under `sops` in the file lists them).",
      });
    });

    test("the key itself may be in SOPS_AGE_KEY", async () => {
      const [, SOPS_AGE_KEY = ""] = (await readFile(key, "utf8")).split("\n");
      const own = { PATH: `${top}/bin:${process.env.PATH}`, HOME: top, SOPS_AGE_KEY };
      const value = await resolve(sops("secrets/production.json", "llm.api_key"), { root, environment: own });
      expect(value.reveal()).toBe(first);
    });

    test.each([
      ["a value that was not encrypted", (text: string) => text.replace("in plain sight", "in plane sight")],
      ["an encrypted value", (text: string) => text.replace("api_key: ENC[AES256_GCM,data:", "$&AAAA")],
      ["the place of a value", (text: string) => text.replace("spare:", "speer:")],
    ])("%s was changed without sops: failed", async (_, change) => {
      const text = await readFile(path.join(fixtures, "production.yaml"), "utf8");
      await writeFile(path.join(root, "changed.yaml"), change(text));
      expect(await problem(sops("changed.yaml", "llm.api_key"))).toMatchObject({
        code: "failed",
        message: expect.stringContaining("it was changed without sops since it was encrypted"),
      });
    });
  });
}

/** What is true whatever decrypts: programs that are none, and files that are not encrypted. */
export function describeFailures(): void {
  describe("failures", () => {
    let root = "";
    beforeAll(async () => {
      root = await realpath(await mkdtemp(path.join(tmpdir(), "avatarops-sops-")));
      await cp(fixtures, path.join(root, "secrets"), { recursive: true });
      await writeFile(path.join(root, "plain.yaml"), "llm: kanarie-53-plain\n");
      await writeFile(path.join(root, "broken.json"), '{"llm": "kanarie-53-plain');
      await writeFile(path.join(root, "big.yaml"), `llm: ${"x".repeat(1024 * 1024)}\n`);
      await symlink("/etc/hosts", path.join(root, "away.yaml"));
    });
    afterAll(() => rm(root, { recursive: true, force: true }));

    const asked = (file: string, field: string, PATH = "/nonexistent") => {
      const source = { from: "sops", path: file, field };
      return errorOf(resolve(source, { root, environment: { PATH }, backoffMs: 0 }));
    };

    test.each([
      ["secrets/production.yaml", "llm.apikey", "not-found", "the file has no such field"],
      ["secrets/production.yaml", "llm.api_key.deeper", "not-found", "the file has no such field"],
      ["secrets/production.yaml", "sops.mac", "not-found", "the file has no such field"],
      ["secrets/production.env", "sops_mac", "not-found", "the file has no such field"],
      ["secrets/production.yaml", "__proto__", "not-found", "the file has no such field"],
      ["secrets/production.yaml", "llm", "malformed", "is not one value"],
      ["secrets/production.yaml", "llm.port", "malformed", "is not a text"],
      ["secrets/production.yaml", "llm.empty", "malformed", "is not encrypted in the file"],
      ["secrets/production.yaml", "shown_unencrypted", "malformed", "is not encrypted in the file"],
      ["plain.yaml", "llm", "malformed", "not one that SOPS has encrypted"],
      ["broken.json", "llm", "malformed", "not one that SOPS has encrypted"],
      ["big.yaml", "llm", "too-long", "has more than 1024 KB"],
      ["missing.yaml", "llm", "not-found", "does not exist"],
      ["secrets", "llm", "unreadable", "is not a file"],
      ["../secrets.yaml", "llm", "outside-project", "is outside the project folder"],
      ["away.yaml", "llm", "outside-project", "is outside the project folder"],
    ])("%s, field %s: %s", async (file, field, code, message) => {
      expect(await asked(file, field)).toMatchObject({ code, message: expect.stringContaining(message) });
    });

    test("no program", async () => {
      expect(await asked("secrets/production.yaml", "llm.api_key")).toMatchObject({
        code: "not-found",
        message:
          "The SOPS file secrets/production.yaml, field llm.api_key needs the program sops, which was not found. Install it (https://getsops.io), or correct your PATH.",
      });
    });

    test.each([
      ["prints another shape", "echo '[1]'", "malformed", "what sops prints is not the file's content"],
      ["is of an earlier version", "exit 100", "failed", "needs sops 3.9 or later"],
      [
        "ends with an exit code of its own",
        "echo kanarie >&2; exit 77",
        "failed",
        "sops ended with exit code 77",
      ],
      ["is killed", "kill -9 $$", "failed", "sops ended with signal SIGKILL"],
    ])("a program that %s", async (name, command, code, message) => {
      const folder = path.join(root, name.replaceAll(" ", "-"));
      await installSops(folder, command);
      const PATH = `${folder}:${process.env.PATH}`;
      expect(await asked("secrets/production.yaml", "llm.api_key", PATH)).toMatchObject({
        code,
        message: expect.stringContaining(message),
      });
      expect(starts(folder)).toBe(1);
    });
  });
}
