// @module-tag terraform
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startEmulator } from "../../../src/emulator/index.js";
import { startDoppler } from "../../secrets/stand-ins/doppler.js";
import { mirror, mirroredIn, newInstalled } from "./installed.js";

const source = (from: string, fields: string) => `
ephemeral "avatarops_secret_value" "llm" {
  from   = "${from}"
  fields = ${fields}
}

resource "avatarops_secret" "llm" {
  secret_name     = "llm"
  secret_type     = "LLMPROVIDER_API_KEY"
  secret_value_wo = ephemeral.avatarops_secret_value.llm.value
}
`;

test("the package reads a vault, and says which library it lacks for another", async () => {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const doppler = await startDoppler();
  onTestFinished(() => doppler.close());
  doppler.secrets.set("LLM_API_KEY", "sk-canary-77a1");
  // Terraform links to what lies in a mirror, and from there Node would find the libraries of this repository.
  const elsewhere = await mkdtemp(path.join(tmpdir(), "avatarops-mirror-"));
  onTestFinished(() => rm(elsewhere, { recursive: true }));
  await cp(mirror, elsewhere, { recursive: true });
  const terraform = await newInstalled({
    cliConfig: mirroredIn(elsewhere),
    files: { "main.tf": source("doppler", `{ name = "LLM_API_KEY", api_host = "${doppler.url}" }`) },
    environment: {
      AVATAROPS_BASE_URL: emulator.url,
      AVATAROPS_API_KEY: "test-key",
      DOPPLER_TOKEN: doppler.serviceToken,
    },
  });
  await terraform.settle();
  expect(emulator.secretValue(emulator.world.secrets[0]?.id ?? "")).toBe("sk-canary-77a1");

  await terraform.write({ "main.tf": source("aws-ssm", '{ name = "/llm", region = "eu-central-1" }') });
  const said = (await terraform.fail("plan")).replace(/\s*\n[│ ]*/g, " ");
  expect(said).toContain("run `npm install @aws-sdk/client-ssm`");
});
