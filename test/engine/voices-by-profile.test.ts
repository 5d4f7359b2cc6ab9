/** Tests voices and default voices with a profile that lists, reads and changes them. */
import { describe, expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { matchText, type Project, startProject } from "../cli/hosting.js";

const host = "10000000-0000-4000-8000-000000000000";
const [first, second] = [0, 1].map((n) => `20000000-0000-4000-8000-00000000000${n}`);
const profile = "service: { profile: liveavatar }\n";
const voices = `voices:\n  one: { id: ${first}, name: Voice 1 }\n  two: { id: ${second}, name: Voice 2 }\n`;
const formatAvatar = (more: string) => `avatars:\n  host: { id: ${host}${more} }\n`;

const start = (text: string, emulator: object = { profile: "liveavatar" }) =>
  startProject({
    files: { "avatarops.yaml": text },
    world: generateDataset({ avatars: 1, voices: 2 }),
    emulator,
  });

async function startAppliedProject(text: string): Promise<Project> {
  const project = await start(text);
  await project.expectApplied();
  project.emulator.requests.length = 0;
  return project;
}

const listRequests = ({ emulator }: Project) =>
  emulator.requests.map(({ method, path }) => `${method} ${path}`);
const listWrites = ({ emulator }: Project) =>
  emulator.requests.filter(({ method }) => method !== "GET").map(({ path, body }) => [path, body]);

describe("voices", () => {
  test("are read with one list request, and a dashboard rename is shown as drift", async () => {
    const project = await startAppliedProject(profile + voices);
    await project.expectNothingToDo();
    expect(listRequests(project)).toEqual(["GET /v1/voices"]);
    project.emulator.renameVoice(second ?? "", "Somebody's");
    const drift = await project.avatarops("drift");
    expect([drift.exit, drift.stdout]).toEqual([2, matchText("voice.two")]);
    expect((await project.avatarops("plan")).stdout).toContain("Somebody's");
    expect(await project.avatarops("pull")).toMatchObject({ exit: 0 });
    expect(await project.read("avatarops.yaml")).toContain("Somebody's");
    await project.expectNothingToDo();
    await project.write("avatarops.yaml", profile + voices);
    await project.expectApplied("--overwrite-drift");
    expect(project.emulator.world.voices.map(({ name }) => name)).toEqual(["Voice 1", "Voice 2"]);
  });

  test("are imported into the files, and the next plan is empty", async () => {
    const project = await start(`${profile}voices: {}\n`);
    await project.expectDone("import", "--all", "--write");
    const text = await project.read("avatarops.yaml");
    expect([first, second].filter((id) => !text.includes(id ?? ""))).toEqual([]);
    await project.expectNothingToDo();
  });

  test("are adopted if declared only by id, and their names stay unmanaged", async () => {
    const project = await startAppliedProject(`${profile}voices: { one: { id: ${first} } }\n`);
    project.emulator.renameVoice(first ?? "", "Any");
    await project.expectNothingToDo();
  });
});

describe("default voice", () => {
  test("is the only field sent if nothing else changed, and causes drift if edited in the dashboard", async () => {
    const project = await startAppliedProject(profile + formatAvatar("") + voices);
    await project.write("avatarops.yaml", profile + formatAvatar(", default_voice: two") + voices);
    expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
    expect(listWrites(project)).toEqual([[`/v1/avatars/${host}`, { default_voice_id: second }]]);
    await project.expectNothingToDo();
    const [live] = project.emulator.world.avatars;
    Object.assign(live ?? {}, { default_voice: { id: first, name: "Voice 1" } });
    expect((await project.avatarops("drift")).stdout).toEqual(matchText("avatar.host"));
    expect((await project.avatarops("plan")).stdout).toContain("default_voice");
    await project.expectApplied("--overwrite-drift");
    expect(project.emulator.world.avatars[0]?.default_voice?.id).toBe(second);
  });

  test("can be a stock voice, and is not sent when the avatar is renamed", async () => {
    const stock = "  june: { id: !stock_voice Wayne }\n";
    const project = await startAppliedProject(profile + formatAvatar(", name: Mine"));
    await project.write("avatarops.yaml", profile + formatAvatar(", name: Ours"));
    expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
    await project.write(
      "avatarops.yaml",
      `${profile + formatAvatar(", name: Ours, default_voice: june")}voices:\n${stock}`,
    );
    expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
    expect(listWrites(project).map(([, body]) => body)).toEqual([
      { name: "Ours" },
      { default_voice_id: "c2527536-6d1f-4412-a643-53a3497dada9" },
    ]);
  });

  test("can be declared in TypeScript", async () => {
    const code = `import { Avatar, Project, Voice } from "avatarops";
const project = new Project({ service: { profile: "liveavatar" } });
const defaultVoice = new Voice(project, "two", { id: "${second}" });
new Avatar(project, "host", { id: "${host}", defaultVoice });
export default project;
`;
    const project = await start("");
    await project.write("avatarops.config.ts", code);
    await project.expectDone("apply", "--auto-approve", "--file", "avatarops.config.ts");
    expect(listWrites(project)).toEqual([[`/v1/avatars/${host}`, { default_voice_id: second }]]);
  });
});

test("accepts unknown values of type, status and gender in voices and avatars", async () => {
  const project = await start(profile + formatAvatar("") + voices, {
    profile: "liveavatar",
    behavior: { extraFields: true },
  });
  await project.expectApplied();
});

test("applies an environment's profile only to that environment", async () => {
  const project = await start(`${voices}environments: { live: { ${profile.trim()} }, other: {} }\n`);
  expect(await project.avatarops("plan", "--env", "live")).toMatchObject({ exit: 0 });
  expect(await project.avatarops("plan", "--env", "other")).toMatchObject({ exit: 0 });
  expect(listRequests(project)).toEqual(["GET /v1/voices", "GET /v1/avatars"]);
});

test("exports voices if the profile is set", async () => {
  const project = await start("");
  await project.expectDone("export", "account", "--profile", "liveavatar");
  const file = "account/avatarops.yaml";
  const text = await project.read(file);
  expect([first, second].filter((id) => !text.includes(id ?? ""))).toEqual([]);
  project.emulator.requests.length = 0;
  await project.expectNothingToDo("--file", file);
  expect(listRequests(project)).toContain("GET /v1/voices");
});
