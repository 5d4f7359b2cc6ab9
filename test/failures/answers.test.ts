/** The answer is lost, cut, or none that the document knows. How each write ends then: `test/lifecycle/faults.md`. */
import { describe, expect, it } from "vitest";
import type { Fault } from "../../src/emulator/index.js";
import { startApplied, startProject } from "../cli/hosting.js";
import { applied, applyInShort, contextNames, tell, writes } from "./telling.js";

const desk = (prompt: string) => `contexts:\n  desk: { name: Desk, prompt: ${prompt} }\n`;

interface Spoilt {
  readonly how: string;
  readonly do: Fault["do"];
}

/** Answers that say nothing. */
const spoilt: readonly Spoilt[] = [
  { how: "never comes", do: { kind: "drop", when: "after" } },
  { how: "is cut in half", do: { kind: "cut" } },
  { how: "is empty", do: { kind: "malformed", body: "" } },
  { how: "is no JSON", do: { kind: "malformed", body: '{"code": 100, "data": ' } },
  { how: "is a page", do: { kind: "malformed", body: "<html><title>Sign in</title></html>" } },
  { how: "is JSON without an envelope", do: { kind: "malformed", body: '{"ok": true}' } },
  {
    how: "is an envelope around something else",
    do: { kind: "malformed", body: '{"code": 100, "data": "soon"}' },
  },
];

it.each(spoilt)(
  "an answer that $how to a list or a read leads to no write on a guess",
  async ({ do: spoiling }) => {
    const project = await startApplied({ files: { "avatarops.yaml": desk("Be kind.") } });
    const before = writes(project);
    for (const path of ["/v1/contexts", "/v1/contexts/*"]) {
      project.emulator.addFault({ match: { method: "GET", path }, times: 99, do: spoiling });
      const ran = await tell(project, "apply", "--auto-approve", "--refresh", "full");
      expect(ran).toMatchObject({ exit: 1, stdout: "" });
      expect(ran.stderr).toMatch(/^error\[(cut|not-json|wrong-shape)\] GET \/v1\/contexts/);
      project.emulator.clearFaults();
    }
    expect(writes(project)).toEqual(before);
    await project.expectNothingToDo();
  },
);

describe("a lost create with a twin", () => {
  it("of other content leaves the choice to the user, and either choice ends with one object each", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": desk("Be kind.") },
      emulator: { behaviour: { contextNames: "free" } },
    });
    project.emulator.addFault("POST /v1/contexts drop-before");
    expect(await applyInShort(project)).toMatchObject({ exit: 4 });
    const other = project.emulator.addContext({ name: "Desk", prompt: "Somebody else's." });
    const planned = await tell(project, "plan");
    expect(planned.exit).toBe(4);
    expect(planned.stdout).toContain(`avatarops import context.desk ${other.id}`);
    expect(await applyInShort(project)).toMatchObject({ exit: 4, ended: ["context.desk skipped ambiguous"] });
    expect(contextNames(project)).toEqual(["Desk"]);

    await applied(project, "--accept-duplicate", "context.desk");
    expect(contextNames(project)).toEqual(["Desk", "Desk"]);
    await project.expectNothingToDo();
  });
});
