/** What terraform writes to disk and logs at its most talkative level has no secret in it, through the built provider. */
import { execFileSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startEmulator } from "../documented-emulator.js";
import { startDoppler } from "../secrets/stand-ins/doppler.js";
import { startConnect } from "../secrets/stand-ins/onepassword.js";
import { startStandIn as startVault } from "../secrets/vault/stand-in.js";
import { newInstalled } from "./package/installed.js";

const canaries = {
  key: "canary-key-41c09ad7e2",
  value: "canary-value-8f1e77aa42",
  next: "canary-next-93b65d0c18",
  said: "canary-said-0d27f4be65",
};

const main = `
ephemeral "avatarops_secret_value" "llm" {
  from   = "exec"
  fields = { command = ["sh", "source.sh"] }
}

resource "avatarops_secret" "llm" {
  secret_name     = "llm-production"
  secret_type     = "LLMPROVIDER_API_KEY"
  secret_value_wo = ephemeral.avatarops_secret_value.llm.value
}

resource "avatarops_context" "desk" {
  name   = "Desk"
  prompt = "You help."
}
`;

describe("TF_LOG=TRACE", { tags: "terraform" }, () => {
  test("has neither the key nor a value, in log, plan or state, also where the source or the service fails", async () => {
    const emulator = await startEmulator({ apiKey: canaries.key });
    onTestFinished(() => emulator.close());
    const { folder, ...terraform } = await newInstalled({
      files: { "main.tf": main, "source.sh": `echo ${canaries.value}\n` },
      environment: { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: canaries.key, TF_LOG: "TRACE" },
    });
    const logs: string[] = [];
    const run = async (expected: number, ...args: string[]) => {
      const { exit, stdout, stderr } = await terraform.run(...args);
      expect(exit, stdout).toBe(expected);
      logs.push(stdout + stderr);
    };
    const stored = () => emulator.world.secrets.map(({ id }) => emulator.secretValue(id));
    await run(0, "plan", "-out=saved");
    await run(0, "apply", "saved");
    expect(stored()).toEqual([canaries.value]);

    await terraform.write({ "source.sh": `echo ${canaries.said}; echo ${canaries.said} >&2; exit 3\n` });
    await run(1, "plan", "-out=failed");
    await terraform.write({ "source.sh": `echo ${canaries.next}\n` });
    const body = { code: 422, message: `no: ${canaries.next}` };
    emulator.addFault({ match: { method: "POST" }, do: { kind: "status", status: 422, body } });
    await run(1, "apply", "-auto-approve");
    await run(0, "apply", "-auto-approve");
    expect(stored()).toEqual([canaries.value, canaries.next]);
    await run(0, "destroy", "-auto-approve");

    expect(logs.join("")).toMatch(/\[TRACE\]/);
    expect(logs[2]).toContain("exit code 3");
    expect(logs[3]).toContain("422");
    const files = (await readdir(folder)).filter((name) => /^saved|^failed|tfstate/.test(name));
    expect(files).toEqual(expect.arrayContaining(["saved", "terraform.tfstate", "terraform.tfstate.backup"]));
    const kept = await Promise.all(files.map((name) => readFile(path.join(folder, name), "latin1")));
    await terraform.run("show", "-json", "saved").then(({ stdout }) => kept.push(stdout));
    for (const canary of Object.values(canaries)) {
      expect(
        logs.findIndex((log) => log.includes(canary)),
        canary,
      ).toBe(-1);
      expect(
        kept.findIndex((text) => text.includes(canary)),
        canary,
      ).toBe(-1);
    }
  });

  test("has no value and no login of any source, also where it answers wrongly or the provider is killed", {
    tags: "night",
  }, async () => {
    const emulator = await startEmulator({ apiKey: canaries.key });
    const [vault, doppler, connect] = [await startVault(), await startDoppler(), await startConnect()];
    for (const server of [emulator, vault, doppler, connect]) onTestFinished(() => server.close());
    const values = ["env", "file", "exec", "vault", "doppler", "onepassword"].map(
      (from) => `canary-of-${from}?4/1c+09=ad~7e2`,
    );
    const secretOf = (from: string) => values.find((value) => value.includes(from)) ?? "";
    const right = {
      data: {
        data: { key: secretOf("vault") },
        metadata: { version: 1, created_time: "2026-01-01T00:00:00Z" },
      },
    };
    vault.instead = (_, response) => response.writeHead(200).end(JSON.stringify(right));
    doppler.secrets.set("KEY", secretOf("doppler"));
    const credential = { id: "credential", label: "credential", value: secretOf("onepassword") };
    connect.put("LLM", [credential]);
    const logins = [vault.rootToken, doppler.serviceToken, connect.token];
    const sources: Readonly<Record<string, string>> = {
      env: '{ name = "LLM_API_KEY" }',
      file: '{ path = "llm.txt" }',
      exec: '{ command = ["sh", "source.sh"] }',
      vault: `{ path = "llm", field = "key", mount = "kv", kv_version = 2, address = "${vault.url}" }`,
      doppler: '{ name = "KEY" }',
      onepassword: '{ reference = "op://Production/LLM/credential" }',
    };
    const files = Object.entries(sources).map(([from, fields]) => [
      `${from}.tf`,
      `ephemeral "avatarops_secret_value" "${from}" {\n  from = "${from}"\n  fields = ${fields}\n}\n
resource "avatarops_secret" "${from}" {
  secret_name = "${from}"\n  secret_type = "LLMPROVIDER_API_KEY"
  secret_value_wo = ephemeral.avatarops_secret_value.${from}.value\n}\n`,
    ]);
    const { folder, ...terraform } = await newInstalled({
      files: {
        ...Object.fromEntries(files),
        "llm.txt": secretOf("file"),
        "source.sh": `echo '${secretOf("exec")}'\n`,
      },
      environment: {
        ...{ AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: canaries.key },
        ...{ TF_LOG_CORE: "JSON", TF_LOG_PROVIDER: "TRACE", LLM_API_KEY: secretOf("env") },
        ...{ VAULT_TOKEN: vault.rootToken, DOPPLER_TOKEN: doppler.serviceToken },
        ...{ DOPPLER_API_HOST: doppler.url, ...connect.environment },
      },
    });
    const logs: string[] = [];
    const run = async (expected: number, ...args: string[]) => {
      const { exit, stdout, stderr } = await terraform.run(...args);
      expect(exit, stdout).toBe(expected);
      logs.push(stdout + stderr);
    };
    await run(0, "apply", "-auto-approve");
    const stored = emulator.world.secrets.map(({ id }) => emulator.secretValue(id));
    expect(stored.toSorted()).toEqual(values.toSorted());

    const quoting = [...values, ...logins].join(" ");
    vault.instead = (_, response) => response.writeHead(400).end(JSON.stringify({ errors: [quoting] }));
    doppler.fault = { status: 400, body: { messages: [quoting], success: false } };
    connect.fault = { status: 400, body: { status: 400, message: quoting } };
    await terraform.write({
      "source.sh": `echo '${quoting}' >&2; echo '${quoting}'; exit 3\n`,
      "llm.txt": "",
    });
    await run(1, "plan", "-out=failed");
    await terraform.write({ "source.sh": `echo '${quoting}' >&2; kill -9 $PPID; sleep 1\n` });
    await run(1, "plan", "-out=failed");

    expect(logs.join("")).toMatch(/"@level":"trace"|\[TRACE\]/);
    expect(logs[1]).toContain("exit code 3");
    expect(logs[2]).toMatch(/plugin (process )?exited|crashed|unavailable|EOF/i);
    const kept = (await readdir(folder)).filter((name) => /^failed|tfstate/.test(name));
    for (const name of kept) logs.push(await readFile(path.join(folder, name), "latin1"));
    await terraform.write({ "source.sh": `echo '${secretOf("exec")}'\n`, "llm.txt": "changed" });
    doppler.fault = connect.fault = undefined;
    vault.instead = (_, response) => response.writeHead(200).end(JSON.stringify(right));
    await run(0, "plan", "-out=saved");
    logs.push(execFileSync("unzip", ["-p", path.join(folder, "saved")]).toString("latin1"));
    for (const secret of [...values, ...logins, canaries.key])
      for (const form of [
        secret,
        btoa(secret),
        encodeURIComponent(secret),
        Buffer.from(secret).toString("hex"),
      ])
        expect(
          logs.findIndex((log) => log.includes(form)),
          form,
        ).toBe(-1);
  });
});
