// @module-tag terraform
import { describe, expect, test } from "vitest";
import { startAcceptance } from "./acceptance.js";

/*
 * A pipeline's runner reads what terraform prints, and takes lines for commands. What the provider tells is printed as it
 * came, broken at spaces. (Attribute values are printed by terraform itself, which writes them as they are.)
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

describe("what the service says when it refuses commands no CI runner", () => {
  test.each([
    ["plainly", [], {}],
    ["as JSON", ["-json"], {}],
    ["with the log", [], { TF_LOG: "trace" }],
  ])("%s", async (_, args, environment) => {
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
