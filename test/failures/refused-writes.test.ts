/** The service says no to a write: that object is not written, the others are, and the message says what was refused. */
import { describe, expect, it } from "vitest";
import { startProject } from "../cli/hosting.js";
import { applied, applyInShort, contextNames, planInShort } from "./telling.js";

const one = "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n";
const two = `${one}  shop: { name: Shop, prompt: Be brief. }\n`;

// How each form of refusal is told: test/api/refusals.txt.
const refusal = {
  kind: "status",
  status: 400,
  body: { code: 4000, data: [{ message: "prompt: too rude" }], message: "Bad request" },
} as const;
const says = '(HTTP 400, code 4000): "Bad request; prompt: too rude".';

describe("a refusal", () => {
  it("of a create fails it alone", async () => {
    const project = await startProject({ files: { "avatarops.yaml": two } });
    project.emulator.addFault({
      match: { method: "POST", path: "/v1/contexts", body: "Desk" },
      do: refusal,
    });
    expect(await applyInShort(project)).toEqual({
      exit: 3,
      ended: ["context.desk failed refused", "context.shop applied"],
      problems: [`POST /v1/contexts: the service refused it ${says}`],
      notes: [],
    });
    expect(contextNames(project)).toEqual(["Shop"]);
    expect(await planInShort(project)).toMatchObject({ exit: 2, wants: ["create context.desk new"] });
    await applied(project);
    expect(contextNames(project)).toEqual(["Desk", "Shop"]);
    await project.expectNothingToDo();
  });
});
