/** The answer is lost, cut, or none that the document knows: what was done is found again, and nothing is made twice. */
import { describe, expect, it } from "vitest";
import { type Fault, generateDataset } from "../../src/emulator/index.js";
import { type Project, startProject } from "../cli/hosting.js";
import { applied, applyInShort, contextNames, planInShort, tell, writes } from "./telling.js";

const desk = (prompt: string) => `contexts:\n  desk: { name: Desk, prompt: ${prompt} }\n`;
const foundAgain = "The answer was lost; the result was found in the account.";

interface Spoilt {
  readonly how: string;
  readonly do: Fault["do"];
}

/** The request was processed, and its answer says nothing. */
const spoiltAfter: readonly Spoilt[] = [
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

describe.each(spoiltAfter)("an answer that $how", (spoilt) => {
  it("to a create: the object is found again and adopted, exactly one", async () => {
    const project = await startProject({ files: { "avatarops.yaml": desk("Be kind.") } });
    project.emulator.addFault({ match: { method: "POST" }, do: spoilt.do });
    expect(await applyInShort(project)).toEqual({
      exit: 0,
      ended: ["context.desk applied"],
      problems: [],
      notes: [foundAgain],
    });
    expect(writes(project)).toEqual(["POST /v1/contexts"]);
    expect(contextNames(project)).toEqual(["Desk"]);
    await project.expectNothingToDo();
  });

  it("to a list or a read: nothing is written on a guess", async () => {
    const project = await startProject({ files: { "avatarops.yaml": desk("Be kind.") } });
    await applied(project);
    const before = writes(project);
    for (const path of ["/v1/contexts", "/v1/contexts/*"]) {
      project.emulator.addFault({ match: { method: "GET", path }, times: 99, do: spoilt.do });
      const ran = await tell(project, "apply", "--auto-approve", "--refresh", "full");
      expect(ran).toMatchObject({ exit: 1, stdout: "" });
      expect(ran.stderr).toMatch(/^error\[(cut|not-json|wrong-shape)\] GET \/v1\/contexts/);
      project.emulator.clearFaults();
    }
    expect(writes(project)).toEqual(before);
    await project.expectNothingToDo();
  });
});

it("a create that is lost before it was processed is not sent again by the same apply, and is made once by the next", async () => {
  const project = await startProject({ files: { "avatarops.yaml": desk("Be kind.") } });
  project.emulator.addFault("POST /v1/contexts drop-before");
  const { exit, ended, problems } = await applyInShort(project);
  expect({ exit, ended }).toEqual({ exit: 4, ended: ["context.desk unknown cut"] });
  expect(problems[0]).toContain("Its outcome is unknown. The next plan looks for it.");
  expect(contextNames(project)).toEqual([]);
  expect(await planInShort(project)).toMatchObject({
    wants: ["create context.desk new"],
    notices: [
      "An earlier apply ended before these writes were answered: context.desk. This plan looked for their results.",
    ],
  });
  await applied(project);
  expect(contextNames(project)).toEqual(["Desk"]);
  await project.expectNothingToDo();
});

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

describe("a secret whose answer is lost", () => {
  const manifest = `secrets:\n  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY }\n${desk("Be kind.")}`;
  async function startLost(when: "before" | "after"): Promise<Project> {
    const project = await startProject({
      files: { "avatarops.yaml": manifest },
      environment: { LLM_API_KEY: "a-key-of-the-provider" },
    });
    project.emulator.addFault(`POST /v1/secrets drop-${when}`);
    const { exit, ended, problems } = await applyInShort(project);
    expect({ exit, ended: ended.sort() }).toEqual({
      exit: 4,
      ended: ["context.desk applied", "secret.llm unknown cut"],
    });
    expect(problems[0]).toContain(
      "It cannot be looked up: find it in the dashboard and run `avatarops import secret.llm ID`, or apply with --accept-duplicate secret.llm.",
    );
    return project;
  }

  for (const when of ["before", "after"] as const) {
    it(`${when} it was stored waits for the user, apply after apply`, async () => {
      const project = await startLost(when);
      const stored = project.emulator.world.secrets.length;
      expect(stored).toBe(when === "after" ? 1 : 0);
      for (let times = 0; times < 2; times += 1) {
        expect(await planInShort(project)).toMatchObject({
          exit: 4,
          wants: ["ambiguous secret.llm answer-lost"],
        });
        expect(await applyInShort(project)).toMatchObject({
          exit: 4,
          ended: ["secret.llm skipped ambiguous"],
        });
      }
      expect(project.emulator.world.secrets).toHaveLength(stored);
    });
  }

  it("is made again when the user accepts a second one", async () => {
    const project = await startLost("before");
    await applied(project, "--accept-duplicate", "secret.llm");
    expect(project.emulator.world.secrets).toHaveLength(1);
    await project.expectNothingToDo();
  });
});

describe("a lost answer to a rename", () => {
  const world = () => generateDataset({ avatars: 1, voices: 2 });
  const names = (avatar: string, voice: string) =>
    [
      `avatars:\n  host: { id: 10000000-0000-4000-8000-000000000000, name: ${avatar} }`,
      `voices:\n  mara: { id: 20000000-0000-4000-8000-000000000001, name: ${voice} }\n`,
    ].join("\n");
  for (const action of ["drop-before", "drop-after", "cut"]) {
    it(`converges for avatars and voices (${action})`, async () => {
      const project = await startProject({
        files: { "avatarops.yaml": names("Host", "Mara") },
        world: world(),
      });
      await applied(project);
      await project.write("avatarops.yaml", names("Hostess", "Maria"));
      project.emulator.addFault(`PATCH /v1/avatars/* ${action}`);
      project.emulator.addFault(`PATCH /v1/voices/* ${action}`);
      await applied(project);
      expect(project.emulator.world.avatars.map(({ name }) => name)).toEqual(["Hostess"]);
      expect(project.emulator.world.voices.map(({ name }) => name)).toEqual(["Voice 1", "Maria"]);
      await project.expectNothingToDo();
    });
  }

  it("of a voice that stays lost is sent again by the next apply", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": names("Host", "Mara") },
      world: world(),
    });
    await applied(project);
    await project.write("avatarops.yaml", names("Host", "Maria"));
    project.emulator.addFault("PATCH /v1/voices/* drop-after times=always");
    expect(await applyInShort(project)).toMatchObject({ exit: 4, ended: ["voice.mara unknown cut"] });
    project.emulator.clearFaults();
    expect(await planInShort(project)).toMatchObject({ exit: 2, wants: ["update voice.mara configured"] });
    await applied(project);
    expect(project.emulator.world.voices.map(({ name }) => name)).toEqual(["Voice 1", "Maria"]);
    await project.expectNothingToDo();
  });
});
