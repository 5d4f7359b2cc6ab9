// @module-tag terraform
import { describe, expect, test } from "vitest";
import { startAcceptance } from "./acceptance.js";

/*
 * Tests that a message from the service cannot inject commands for the CI runner, which scans terraform's
 * output. Terraform wraps messages at spaces, so any word may start a line. Attribute values are out of scope,
 * because Terraform prints them itself.
 */

const message =
  "::error::one ##[group]two ##vso[task.complete]three and four words ::add-mask::five and six words ::notice::seven";
const commands = /##\w*\[|^[^\S\r\n]*::[A-Za-z]/m;
const refusal = {
  times: Infinity,
  match: { method: "POST" },
  do: { kind: "status", status: 400, body: { code: 400, message, data: null } },
} as const;

const main = `
resource "avatarops_context" "desk" {
  name   = "Desk"
  prompt = "Be kind."
}
`;

describe("service message with runner commands", () => {
  test.each([
    ["in plain output", [], {}],
    ["in JSON output", ["-json"], {}],
    ["in the trace log", [], { TF_LOG: "trace" }],
  ])("is escaped %s", async (_, args, environment) => {
    const { emulator, runWith } = await startAcceptance({ main });
    emulator.addFault(refusal);
    const { exit, stdout, stderr } = await runWith(
      environment,
      "apply",
      "-auto-approve",
      "-no-color",
      ...args,
    );
    expect(exit).toBe(1);
    expect(stdout + stderr).toContain("‹U+003A›:add-mask");
    expect(stdout).not.toMatch(commands);
    expect(stderr).not.toMatch(commands);
  });
});
