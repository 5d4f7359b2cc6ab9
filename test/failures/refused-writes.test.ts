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

  it("of an update leaves the object and what is remembered of it as they were", async () => {
    const project = await startProject({ files: { "avatarops.yaml": two } });
    await applied(project);
    await project.write("avatarops.yaml", two.replace("kind", "very kind").replace("brief", "very brief"));
    const id = project.emulator.world.contexts.find(({ name }) => name === "Desk")?.id;
    project.emulator.addFault({
      match: { method: "PATCH", path: `/v1/contexts/${id}` },
      do: refusal,
    });
    expect(await applyInShort(project)).toMatchObject({
      exit: 3,
      ended: ["context.desk failed refused", "context.shop applied"],
      problems: [`PATCH /v1/contexts/${id}: the service refused it ${says}`],
    });
    expect(project.emulator.world.contexts.map(({ prompt }) => prompt).sort()).toEqual([
      "Be kind.",
      "Be very brief.",
    ]);
    expect(await planInShort(project)).toMatchObject({ wants: ["update context.desk configured"] });
    await applied(project);
    await project.expectNothingToDo();
  });
});

describe("a name that is taken", () => {
  it("is refused with the id of its holder and the command that takes it over", async () => {
    const project = await startProject({ files: { "avatarops.yaml": two } });
    let id = "";
    project.emulator.addFault({
      match: { method: "POST", body: "Desk" },
      do: {
        kind: "run",
        run(emulator) {
          id = emulator.addContext({ name: "Desk", prompt: "A colleague was faster." }).id;
        },
      },
    });
    expect(await applyInShort(project)).toEqual({
      exit: 3,
      ended: ["context.desk failed name-taken", "context.shop applied"],
      problems: [
        `The account has another context named "Desk": ${id}. To manage that one, run \`avatarops import context.desk ${id}\`; otherwise choose another name.`,
      ],
      notes: [],
    });
    expect(await project.avatarops("import", "context.desk", id)).toMatchObject({ exit: 0 });
    await applied(project);
    expect(contextNames(project)).toEqual(["Desk", "Shop"]);
    await project.expectNothingToDo();
  });
});
