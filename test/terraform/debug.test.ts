// @module-tag terraform
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { newWorkspace } from "../../packages/terraform-plugin/test/terraform.js";
import { version } from "../../src/base/version/index.js";
import { findBuilt } from "../built.js";
import { startEmulator } from "../documented-emulator.js";

const main = `
terraform {
  required_providers {
    avatarops = { source = "avatarops/avatarops" }
  }
}
resource "avatarops_context" "desk" {
  name   = "Desk"
  prompt = "Be kind."
}
`;

test("serves terraform commands that use the TF_REATTACH_PROVIDERS value printed by --debug", async () => {
  const emulator = await startEmulator({});
  onTestFinished(() => emulator.close());
  const program = findBuilt(`terraform/package/terraform-provider-avatarops_v${version}`);
  const provider = spawn(program, ["--debug"], {
    env: { PATH: process.env.PATH, AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void provider.kill("SIGKILL"));
  const [printed] = await once(provider.stdout, "data");
  const [, reattach = ""] = /^export TF_REATTACH_PROVIDERS='([^']+)'\n$/.exec(String(printed)) ?? [];
  const workspace = await newWorkspace({
    files: { "main.tf": main },
    environment: { TF_REATTACH_PROVIDERS: reattach },
  });
  await workspace.settle();
  expect(emulator.world.contexts).toMatchObject([{ name: "Desk" }]);
  provider.kill("SIGINT");
  expect(await once(provider, "exit")).toEqual([0, null]);
});
