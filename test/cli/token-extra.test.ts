import { describe, expect, test } from "vitest";
import { createSampleDataset, sandboxAvatarId } from "../../src/emulator/index.js";
import { matchText, startProject } from "./hosting.js";

const world = createSampleDataset(Date.now());
const avatar = world.avatars.find(({ name }) => name === "Front desk")?.id ?? "";

function startWithSessions(sessions: string, environment: Record<string, string> = {}) {
  const files = { "avatarops.yaml": `sessions:\n${sessions}` };
  return startProject({ files, environment, world: structuredClone(world) });
}

const begins = `avatar_id: ${avatar}, mode: LITE`;

describe("preset field `extra`", () => {
  test("is sent unchanged at the top level and in each group", async () => {
    const { avatarops, emulator } = await startWithSessions(`  kiosk:
    avatar_id: ${avatar}
    mode: LITE
    persona:
      language: en
      voice_settings: { speed: 1.1, extra: { latency: 3 } }
      extra: { tone: { of: voice, in: gpt-4o } }
    video_settings: { extra: { fps: 25 } }
    extra:
      more_variables: { userName: Anna, "\${weird}": "" }
      room: { from: somewhere, list: [1, null, { deep: false }], none: null }
      __proto__: { polluted: true }
`);
    expect(await avatarops("token", "kiosk")).toMatchObject({ exit: 0, stderr: "" });
    const body = emulator.requests.at(-1)?.body;
    expect(body).toEqual({
      avatar_id: avatar,
      mode: "LITE",
      avatar_persona: {
        language: "en",
        voice_settings: { speed: 1.1, latency: 3 },
        tone: { of: "voice", in: "gpt-4o" },
      },
      video_settings: { fps: 25 },
      more_variables: { userName: "Anna", "${weird}": "" },
      room: { from: "somewhere", list: [1, null, { deep: false }], none: null },
      ["__proto__"]: { polluted: true },
    });
  });

  test("is omitted from the request if it has no value", async () => {
    const { avatarops, emulator } = await startWithSessions(`  kiosk: { ${begins}, extra: }\n`);
    expect(await avatarops("token", "kiosk")).toMatchObject({ exit: 0 });
    expect(emulator.requests.at(-1)?.body).toEqual({ avatar_id: avatar, mode: "LITE" });
  });
});

describe("secret in `extra`", () => {
  const sessions = `  kiosk:
    ${begins.replace(", ", "\n    ")}
    extra:
      room:
        name: lobby
        keys: [a, !env ROOM_KEY]
        livekit_client_token: !exec [echo, the-client-token]
      note: !file note.txt
`;

  test("is read from its source for each token and never appears in the state or in errors", async () => {
    const { avatarops, emulator, write, has, read } = await startWithSessions(sessions, { ROOM_KEY: "ab" });
    await write("note.txt", "the-note\n");
    for (const argv of [["validate"], ["plan"], ["apply", "--auto-approve"], ["token", "kiosk"]])
      expect(await avatarops(...argv), argv.join(" ")).toMatchObject({ exit: 0 });
    expect(emulator.requests.at(-1)?.body).toMatchObject({
      room: {
        name: "lobby",
        keys: ["a", "ab"],
        livekit_client_token: "the-client-token",
      },
      note: "the-note",
    });
    const body = JSON.stringify({ code: 4000, data: null, message: "bad key ab for the-client-token" });
    emulator.addFault({ match: { path: "/v1/sessions/token" }, do: { kind: "status", status: 400, body } });
    const refused = await avatarops("token", "kiosk");
    expect(refused).toMatchObject({ exit: 1, stdout: "" });
    expect(refused.stderr).toEqual(matchText("its message is not shown"));
    expect(refused.stderr).not.toContain("the-client-token");
    if (has(".avatarops/state.json"))
      expect(await read(".avatarops/state.json")).not.toContain("the-client-token");
  });

  test("is reported with its source if it has no value", async () => {
    const { expectRefused, emulator, write } = await startWithSessions(sessions);
    await write("note.txt", "n");
    await expectRefused(["token", "kiosk"], "environment variable ROOM_KEY");
    expect(emulator.requests).toEqual([]);
  });
});

test("requests a token without voice and language if the deployment has defaults", async () => {
  const sandbox = `  kiosk: { avatar_id: ${sandboxAvatarId}, mode: FULL, is_sandbox: true, persona: { context_id: ${world.contexts[0]?.id} } }\n`;
  const strict = await startWithSessions(sandbox);
  expect(await strict.avatarops("token", "kiosk")).toMatchObject({ exit: 1, stdout: "" });
  const files = { "avatarops.yaml": `sessions:\n${sandbox}` };
  const emulator = { behavior: { sandboxPersona: "optional" } } as const;
  const lenient = await startProject({ files, emulator, world: structuredClone(world) });
  expect(await lenient.avatarops("token", "kiosk")).toMatchObject({ exit: 0 });
});
