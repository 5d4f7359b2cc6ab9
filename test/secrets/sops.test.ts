/** Tests SOPS files with a fake `sops`. test/real/sops.test.ts runs the real program. */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllowedHosts } from "../../src/base/http/index.js";
import { matchText, newFolder, type Project, startProject } from "../cli/hosting.js";
import { read, readVersion } from "./asking.js";

/** Files encrypted by SOPS 3.13 for the key in `age-key.txt`. */
const fixtures = path.join(import.meta.dirname, "sops");
const readFixture = (file: string) => readFileSync(path.join(fixtures, file), "utf8");
const yaml = readFixture("production.yaml");
const json = readFixture("production.json");
const dotenv = readFixture("production.env");

const value = "kanarie-47-one-vogel";
const printed = JSON.stringify({ llm: { api_key: value, spare: "kanarie-48-spare-vogel" } });

/** Installs a fake `sops` on the PATH, which records its environment variables and arguments. */
function installSops(bin: string, end = `printf '%s' '${printed}'`): void {
  const file = path.join(bin, "sops");
  writeFileSync(file, `#!/bin/sh\nenv >> ${bin}/env\necho "$@" >> ${bin}/runs\n${end}\n`);
  chmodSync(file, 0o755);
}

const formatSecrets = (...fields: string[]) =>
  `secrets:\n${fields.map((field, at) => `  s${at}: { secret_name: s${at}, secret_type: LLMPROVIDER_API_KEY, secret_value: !sops ${field} }\n`).join("")}`;

async function start(file: string): Promise<{ readonly project: Project; readonly bin: string }> {
  const bin = await newFolder();
  const project = await startProject({
    files: { "s.yaml": yaml, "avatarops.yaml": file },
    environment: { PATH: `${bin}:${process.env.PATH}`, SOPS_AGE_KEY: "age-1", LLM_OTHER: "other-1" },
  });
  return { project, bin };
}

test("runs sops once for an apply and never for a plan", async () => {
  const { project, bin } = await start(formatSecrets("s.yaml#llm.api_key", "s.yaml#llm.spare"));
  installSops(bin);
  await project.expectApplied();
  expect(readFileSync(path.join(bin, "runs"), "utf8")).toBe(
    `decrypt --input-type yaml --output-type json ${path.join(project.folder, "s.yaml")}\n`,
  );
  const given = readFileSync(path.join(bin, "env"), "utf8");
  expect(given).toContain("SOPS_AGE_KEY=age-1");
  expect(given).not.toMatch(/LLM_OTHER|AVATAROPS/);

  rmSync(path.join(bin, "sops"));
  await project.expectNothingToDo();
  await project.write("s.yaml", yaml.replace("data:NXxs", "data:MXxs"));
  const { stdout } = await project.avatarops("plan", "--format", "json");
  const { changes } = JSON.parse(stdout) as { changes: { address: string; action: string }[] };
  expect(changes.map(({ address, action }) => `${address} ${action}`)).toEqual(["secret.s0 supersede"]);
  const refused = await project.avatarops("apply", "-y");
  expect(refused.stderr + refused.stdout).toEqual(matchText("needs the program sops. Install it"));
});

test("reads a short value from a file of up to 1 MB, and rejects a longer value or decrypted text", async () => {
  const { project, bin } = await start(formatSecrets("s.yaml#llm.api_key"));
  const fill = (length: number) => project.write("s.yaml", `${yaml}notes: ${"n".repeat(length)}\n`);
  const print = (content: object) => {
    writeFileSync(path.join(bin, "printed"), JSON.stringify(content));
    installSops(bin, `cat ${path.join(bin, "printed")}`);
  };
  await fill(70_000);
  print({ llm: { api_key: "k".repeat(70_000) } });
  const refuse = async (why: string) => {
    const { exit, stdout, stderr } = await project.avatarops("apply", "--auto-approve");
    expect([exit, stdout + stderr]).toEqual([1, matchText(why)]);
  };
  await refuse("is larger than 64 KB, which is too long for a secret.");
  print({ llm: { api_key: value }, notes: "n".repeat(1_100_000) });
  await refuse("is in a file that is larger than 1 MB. Move the value to a smaller SOPS file.");
  print({ llm: { api_key: value }, notes: "n".repeat(70_000) });
  await project.expectApplied();
});

test("plans new, moved and newly versioned values without sops, but needs sops to apply new values", async () => {
  const manifest = (field: string, more = "") =>
    `contexts:\n  desk: { name: Desk, prompt: Be kind. }\n${formatSecrets(field).replace(" }", `${more} }`)}`;
  const { project, bin } = await start(manifest("s.yaml#llm.api_key"));
  const expectPlanned = async (action: string) => {
    const { exit, stdout } = await project.avatarops("plan", "--format", "json");
    expect([exit, JSON.parse(stdout).changes]).toEqual([
      0,
      expect.arrayContaining([expect.objectContaining({ address: "secret.s0", action })]),
    ]);
    expect(stdout).not.toContain("needs the program");
  };
  await expectPlanned("create");
  await project.write("avatarops.yaml", manifest("s.yaml#llm.api_key", ", secret_value_version: 1"));
  await expectPlanned("create");
  const refused = await project.avatarops("apply", "-y");
  expect(refused).toMatchObject({ exit: 1, stdout: matchText("needs the program sops. Install it") });
  expect(project.emulator.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  expect(project.has(".avatarops/state.json")).toBe(false);

  await project.write("avatarops.yaml", manifest("s.yaml#llm.api_key"));
  installSops(bin);
  await project.expectApplied();
  rmSync(path.join(bin, "sops"));
  await project.write("avatarops.yaml", manifest("s.yaml#llm.spare"));
  await expectPlanned("supersede");
  await project.write("avatarops.yaml", manifest("s.yaml#llm.api_key", ", secret_value_version: 1"));
  await project.expectApplied();
  // The plan can compare neither a declared version nor one from the SOPS file, so it needs the value itself.
  await project.write("avatarops.yaml", manifest("s.yaml#llm.api_key"));
  expect(await project.avatarops("plan", "--detailed-exitcode")).toMatchObject({ exit: 3 });
});

test.each([
  ["128", "this machine has no key for it"],
  ["51", "it was changed without sops"],
  ["1", "Run it in the project folder to see why"],
])("explains sops exit code %s without showing the output", async (exit, reason) => {
  const { project, bin } = await start(formatSecrets("s.yaml#llm.api_key"));
  installSops(bin, `printf '%s' '${printed}'; echo ${value} >&2; exit ${exit}`);
  const { stdout, stderr } = await project.avatarops("apply", "-y");
  expect(stdout + stderr).toEqual(matchText(reason));
  expect(stdout + stderr).not.toContain("kanarie");
});

test.each([
  ["s.yaml#llm.none", "does not exist in the file"],
  ["s.yaml#llm", "is not an encrypted string"],
  ["s.yaml#llm.port", "is not an encrypted string"],
  ["s.yaml#shown_unencrypted", "is not an encrypted string"],
  ["s.yaml#sops.mac", "the file is not encrypted with SOPS"],
  ["avatarops.yaml#service", "the file is not encrypted with SOPS"],
])("rejects the unusable SOPS source %s in a plan", async (source, reason) => {
  const { project } = await start(formatSecrets(source));
  const { stdout, stderr } = await project.avatarops("plan");
  expect(stdout + stderr).toEqual(matchText(reason));
});

test.each([
  ["s.yaml", "has no field. Write !sops s.yaml#llm.api_key"],
  ["llm.key#a", "names a field, which SOPS supports only in .yaml, .yml, .json and .env files"],
])("rejects !sops %s in validate", async (source, reason) => {
  const { project } = await start(formatSecrets(source));
  const { exit, stdout, stderr } = await project.avatarops("validate");
  expect([exit, stdout + stderr]).toEqual([1, matchText(reason)]);
});

test("reads a SOPS file's version in every format without a key", async () => {
  const version = (file: string, field?: string) =>
    readVersion({ from: "sops", path: file, ...(field && { field }) }, {}, { root: fixtures });
  const versions = [
    await version("production.yaml", "llm.api_key"),
    await version("production.yaml", "keys.0"),
    await version("production.yaml", "a.dotted.key"),
    await version("production.json", "llm.api_key"),
    await version("production.env", "LLM_API_KEY"),
    await version("llm.key"),
  ];
  for (const one of versions) expect(one).toMatch(/^[0-9a-f]{16}$/);
  expect(new Set(versions).size).toBe(versions.length);
});

describe("sops source", () => {
  const url = "https://vault.evil.example";
  const entry = (more = "") =>
    `{"vault_address": "${url}", "engine_path": "t", "key_name": "k"${more}, "enc": "e"}`;
  const inYaml = (key: string) => yaml.replace("sops:\n", `sops:\n    ${key}\n`);
  const hosts = (allowed: string) =>
    parseAllowedHosts({ AVATAROPS_PIN: "1", AVATAROPS_ALLOW_HOSTS: allowed });

  const tryFile = async (file: string, text: string, allowed = "") => {
    const root = await newFolder();
    const bin = await newFolder();
    installSops(bin);
    writeFileSync(path.join(root, file), text);
    const field = file === "s.env" ? "LLM_API_KEY" : "llm.api_key";
    const environment = { PATH: `${bin}:${process.env.PATH}`, VAULT_TOKEN: "t" };
    const source = { from: "sops", path: file, field };
    const result = await read(source, environment, { root, hosts: hosts(allowed) }).catch((error) => error);
    return { result, ran: existsSync(path.join(bin, "runs")) };
  };

  test.each([
    ["s.yaml", inYaml(`hc_vault: [${entry()}]`)],
    ["s.yaml", inYaml(`key_groups: [{ azure_kv: [{ vault_url: "${url}" }] }]`)],
    ["s.yaml", inYaml('kms: [{ arn: "arn:aws:kms:evil.example/#:1:key/x" }]')],
    ["s.yaml", inYaml(`hc_vault: [{ vault_addreſſ: "${url}" }]`)],
    ["s.yaml", inYaml(`hc_vault: [{ !!binary dmF1bHRfYWRkcmVzcw==: "${url}" }]`)],
    ["s.json", json.replace(/"sops": *{/, `"sops": {"HC_Vault": [${entry()}]}, "sops": {`)],
    ["s.env", `${dotenv}\nsops_hc_vault__list_0__map_vault_address=${url}\n`],
  ])("rejects a host named in an encrypted file before running sops: %s", async (file, text) => {
    expect(await tryFile(file, text)).toMatchObject({
      result: { code: "not-allowed", message: expect.stringContaining("AVATAROPS_ALLOW_HOSTS") },
      ran: false,
    });
  });

  test("accepts an allowed host, but rejects path traversal and a YAML alias as the address", async () => {
    const text = inYaml(`hc_vault: [${entry()}]`);
    expect(await tryFile("s.yaml", text, "vault.evil.example")).toMatchObject({
      result: { value },
      ran: true,
    });
    const hidden = `x: &a "${url}"\n${inYaml("hc_vault: [{ vault_address: *a }]")}`;
    expect(await tryFile("s.yaml", hidden, "vault.evil.example")).toMatchObject({ ran: false });
    const other = text.replace('"key_name": "k"', '"key_name": "../../kv/prod"');
    expect(await tryFile("s.yaml", other, "vault.evil.example")).toMatchObject({
      result: { code: "not-allowed" },
      ran: false,
    });
  });
});
