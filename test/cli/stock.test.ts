/** Uses stock avatars and voices by name in YAML and TypeScript. The emulator has the required profile. */
import { describe, expect, test } from "vitest";
import { findPassages } from "../../scripts/docs/passages.js";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { matchText, type Project, startProject } from "./hosting.js";

const wayne = "dd73ea75-1218-4ef3-92ce-606d5f7fbc0a";
const june = "62bbb4b2-bb26-4727-bc87-cfb2bd4e0cc8";
const profile = "service: { profile: liveavatar }\n";
const yaml = `${profile}avatars:
  host: { id: !stock_avatar Wayne }
voices:
  june: { id: !stock_voice "June - Lifelike" }
sessions:
  named: { avatar: host, mode: LITE, persona: { voice: june, language: en } }
  direct: { avatar_id: !stock_avatar Wayne, mode: LITE, persona: { voice_id: !stock_voice "June - Lifelike", language: en } }
`;
const typescript = `import { Avatar, Preset, Project, stockAvatar, stockVoice, Voice } from "avatarops";
const project = new Project({ service: { profile: "liveavatar" } });
const avatar = new Avatar(project, "host", { id: stockAvatar("Wayne") });
const voice = new Voice(project, "june", { id: stockVoice("June - Lifelike") });
const lite = { mode: "LITE" };
new Preset(project, "named", { ...lite, avatar, persona: { voice, language: "en" } });
new Preset(project, "direct", {
  ...lite,
  avatarId: stockAvatar("Wayne"),
  persona: { voiceId: stockVoice("June - Lifelike"), language: "en" },
});
export default project;
`;

const start = (files: Readonly<Record<string, string>>) =>
  startProject({ files, world: createEmptyDataset(), emulator: { profile: "liveavatar" } });
const startDeclaring = (text: string) => start({ "avatarops.yaml": profile + text });
const listLookups = ({ emulator }: Project) =>
  emulator.requests.filter(({ path, query }) => path.endsWith("/public") || query.voice_type === "public");

describe.each([
  ["YAML", { "avatarops.yaml": yaml }],
  ["TypeScript", { "avatarops.config.ts": typescript }],
])("stock objects in %s", (_language, files) => {
  test("pass validation offline, and are adopted with one lookup each and used by presets", async () => {
    const project = await start(files);
    expect(await project.avatarops("validate")).toMatchObject({ exit: 0 });
    expect(project.emulator.requests).toEqual([]);
    await project.expectDone("apply", "--auto-approve");
    expect(listLookups(project)).toHaveLength(2);
    expect(project.emulator.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    await project.expectNothingToDo();
    const state = await project.json("state", "list");
    expect(state.objects).toMatchObject([
      { address: "avatar.host", id: wayne },
      { address: "voice.june", id: june },
    ]);
    for (const preset of ["named", "direct"]) {
      expect(await project.avatarops("token", preset)).toMatchObject({ exit: 0, stderr: "" });
      expect(project.emulator.requests.at(-1)?.body).toMatchObject({
        avatar_id: wayne,
        avatar_persona: { voice_id: june },
      });
    }
    const printed = JSON.parse((await project.avatarops("generate", "presets")).stdout);
    expect(printed.presets.direct.request).toEqual(printed.presets.named.request);
    expect(printed.presets.direct.request).toMatchObject({ avatar_id: wayne });
  });
});

// test/kinds/stock.test.ts covers other names.
test("reports an unknown stock name with its file and line", async () => {
  const project = await startDeclaring('avatars:\n  host: { id: !stock_avatar "Wayn", protect: true }\n');
  expect(await project.avatarops("validate")).toMatchObject({ exit: 0 });
  const { exit, stdout, stderr } = await project.avatarops("plan");
  const message = 'the service has no stock avatar named "Wayn" ╷ 3│ … │ ^ did you mean "Wayne"?';
  expect([exit, stdout + stderr]).toEqual([1, matchText(message)]);
  expect(stdout + stderr).toContain("avatarops.yaml:3:");
  expect(project.emulator.requests.every(({ path }) => path === "/v1/avatars/public")).toBe(true);
});

test("adopts a stock object by id and rejects renaming it", async () => {
  const project = await startDeclaring(
    `avatars: { host: { id: ${wayne} } }\nvoices: { june: { id: ${june} } }\n`,
  );
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  await project.expectNothingToDo();
  for (const text of [
    `avatars: { host: { id: ${wayne}, name: Ours } }`,
    `voices: { june: { id: ${june}, name: Ours } }`,
  ]) {
    await project.write("avatarops.yaml", `${profile}${text}\n`);
    expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 3 });
  }
});

test("rejects an unknown stock name only in commands that use it", async () => {
  const project = await startDeclaring(
    "avatars: { host: { id: !stock_avatar Nobody } }\n" +
      `sessions:\n  wrong: { avatar: host, mode: LITE }\n  kiosk: { avatar_id: ${wayne}, mode: LITE }\n`,
  );
  for (const argv of [
    ["token", "kiosk"],
    ["generate", "presets", "kiosk"],
    ["sessions", "list"],
  ])
    expect(await project.avatarops(...argv), argv.join(" ")).toMatchObject({ exit: 0 });
  for (const argv of [
    ["token", "wrong"],
    ["generate", "presets"],
    ["plan"],
    ["sessions", "list", "--avatar", "host"],
  ]) {
    const { exit, stdout, stderr } = await project.avatarops(...argv);
    const message = 'the service has no stock avatar named "Nobody"';
    expect([argv, exit, stdout + stderr]).toEqual([argv, 1, matchText(message)]);
  }
});

test("applies the stock example from docs/kinds.md to the emulator", async () => {
  const text =
    findPassages("docs/kinds.md", "yaml").find((passage) => passage.includes("!stock_avatar")) ?? "";
  const project = await start({ "avatarops.yaml": text });
  for (const argv of [
    ["apply", "--auto-approve"],
    ["token", "kiosk"],
    ["token", "booth"],
  ])
    expect(await project.avatarops(...argv), argv.join(" ")).toMatchObject({ exit: 0 });
});
