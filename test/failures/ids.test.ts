/** Checks that an id that cannot be part of a path is rejected at its source and never sent. */
import { describe, expect, it } from "vitest";
import { type Project, startProject } from "../cli/hosting.js";
import {
  applySuccessfully,
  listContextNames,
  listWrites,
  runUnwrapped,
  summarizeApply,
  summarizePlan,
} from "./commands.js";

const desk = "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n";
const stateFile = ".avatarops/state.json";

const odd: readonly (readonly [string, unknown])[] = [
  ["is missing", undefined],
  ["is null", null],
  ["is a number", 7],
  ["is empty", ""],
  ["is a dot", "."],
  ["is two dots", ".."],
  ["leads to another path", "../../v1/secrets"],
  ["has a slash", "a/b"],
  ["has an encoded slash", "a%2fb"],
  ["has a query", "a?b"],
  ["has a space", "a b"],
  ["is a shell command", "$(reboot)"],
  ["is half a character", "\ud800"],
  ["has an escape sequence", "\u001b[2J"],
  ["has a line break", "a\nb"],
  ["has a non-ASCII letter", "ä"],
  ["is huge", "x".repeat(256)],
];

/** Subset of the ids. All sources share one check, so only one source tries every id. */
const some = odd.filter(([what]) => /missing|another path|half/.test(what));

const start = (): Promise<Project> => startProject({ files: { "avatarops.yaml": desk } });

const createContext = (id: unknown) => ({
  ...{ id, name: "Desk", prompt: "Be kind.", opening_text: "", links: [] },
  ...{ created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z" },
});
const createResponder = (data: unknown) => ({
  kind: "malformed" as const,
  body: JSON.stringify({ code: 100, data }),
});

describe.each(some)("id that %s", (_, id) => {
  it("makes a create response invalid, so the context is looked up instead", async () => {
    const project = await start();
    project.emulator.addFault({ match: { method: "POST" }, do: createResponder(createContext(id)) });
    expect(await summarizeApply(project)).toMatchObject({ exit: 0, outcomes: ["context.desk applied"] });
    expect(listContextNames(project)).toEqual(["Desk"]);
    expect(listWrites(project)).toEqual(["POST /v1/contexts"]);
    await project.expectNothingToDo();
  });

  it("stops the plan and is reported with its position in the list", async () => {
    const project = await start();
    await applySuccessfully(project);
    const list = { count: 1, results: [createContext(id)], next: null, previous: null };
    project.emulator.addFault({ match: { method: "GET" }, times: 9, do: createResponder(list) });
    const { exit, stderr } = await runUnwrapped(project, "plan", "--refresh", "full");
    expect(exit).toBe(1);
    expect(stderr).toMatch(
      /^error\[wrong-shape\] GET \/v1\/contexts\S+: the response differs from the documentation at data\.results\[0\]\.id: it is (missing|not an id|wrong)/,
    );
    expect(stderr).not.toMatch(/Bug|\u001b/);
  });

  if (typeof id === "string")
    it("stops the plan before any request and is reported with its position in the state", async () => {
      const project = await start();
      await applySuccessfully(project);
      const before = project.emulator.requests.length;
      const state = JSON.parse(await project.read(stateFile));
      state.objects["context.desk"].id = id;
      await project.write(stateFile, JSON.stringify(state));
      const { exit, stderr } = await runUnwrapped(project, "plan");
      expect(exit).toBe(1);
      expect(stderr).toContain(
        'is not a valid state: objects["context.desk"].id is not an id: ids are 1 to 255 letters',
      );
      expect(project.emulator.requests).toHaveLength(before);
    });
});

it.each(odd.filter(([, id]) => typeof id === "string" && id !== ""))(
  "rejects a command-line id that %s before any request",
  async (_, id) => {
    const project = await start();
    const { exit, stderr } = await runUnwrapped(project, "import", "context.desk", "--", String(id));
    expect(exit).toBe(1);
    expect(stderr).toMatch(/^error\[not-an-id\] ".*" is not an id\. Ids are 1 to 255 letters/);
    expect(project.emulator.requests).toEqual([]);
  },
);

it("reports an unknown create outcome if neither the response nor the list contains a valid id", async () => {
  const project = await start();
  const list = { count: 1, results: [createContext("..")], next: null, previous: null };
  project.emulator.addFault({ match: { method: "GET" }, skip: 1, times: 99, do: createResponder(list) });
  project.emulator.addFault({ match: { method: "POST" }, do: createResponder(createContext("..")) });
  expect(await summarizeApply(project)).toMatchObject({
    exit: 4,
    outcomes: ["context.desk unknown wrong-shape"],
  });
  expect((await runUnwrapped(project, "apply", "--auto-approve")).exit).toBe(1);
  project.emulator.clearFaults();
  expect(await summarizePlan(project)).toMatchObject({ changes: ["adopt context.desk recovered"] });
  expect(listWrites(project)).toEqual(["POST /v1/contexts"]);
});

it("accepts ids that are not UUIDs", async () => {
  const project = await start();
  project.emulator.addFault({
    match: { method: "POST" },
    do: createResponder(createContext("ctx_01J.x~y:z@1+2=3,4-5")),
  });
  await applySuccessfully(project);
  expect(await project.read(stateFile)).toContain('"id": "ctx_01J.x~y:z@1+2=3,4-5"');
});
