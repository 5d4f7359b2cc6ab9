// @module-tag night
/** Tests with the built provider that files and the most verbose log contain no secret. */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startEmulator } from "../documented-emulator.js";
import { newInstalled } from "./package/installed.js";

const canaries = {
  key: "canary-key-41c09ad7e2",
  value: "canary-value-8f1e77aa42",
  next: "canary-next-93b65d0c18",
};

const main = `
variable "llm" {
  type      = string
  sensitive = true
  ephemeral = true
}

resource "avatarops_secret" "llm" {
  secret_name     = "llm-production"
  secret_type     = "LLMPROVIDER_API_KEY"
  secret_value_wo = var.llm
}

resource "avatarops_context" "desk" {
  name   = "Desk"
  prompt = "You help."
}
`;

describe("TF_LOG=TRACE", { tags: "terraform" }, () => {
  test("never writes the API key or a secret value to the log, plan or state, even on service errors", async () => {
    const emulator = await startEmulator({ apiKey: canaries.key });
    onTestFinished(() => emulator.close());
    const { folder, ...terraform } = await newInstalled({
      files: { "main.tf": main, "llm.auto.tfvars": `llm = "${canaries.value}"\n` },
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

    await terraform.write({ "llm.auto.tfvars": `llm = "${canaries.next}"\n` });
    const body = { code: 422, message: `no: ${canaries.next}` };
    emulator.addFault({ match: { method: "POST" }, do: { kind: "status", status: 422, body } });
    await run(1, "apply", "-auto-approve");
    await run(0, "apply", "-auto-approve");
    expect(stored()).toEqual([canaries.value, canaries.next]);
    await run(0, "destroy", "-auto-approve");

    expect(logs.join("")).toMatch(/\[TRACE\].*\[DEBUG\] +provider\.terraform-provider-avatarops\S*: .*POST/s);
    expect(logs[2]).toContain("422");
    const files = (await readdir(folder)).filter((name) => /^saved|tfstate/.test(name));
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
});
