import { describe, expect, test } from "vitest";
import { createSampleDataset } from "../../src/emulator/index.js";
import { matchText, startProject } from "./hosting.js";

const world = createSampleDataset(Date.now(), "liveavatar");
const avatar = world.avatars.find(({ name }) => name === "Front desk")?.id ?? "";
const desk = `contexts:
  desk: { name: Desk, prompt: "Help \${customer} with \${order}.", opening_text: "Hi \${customer}" }
`;

function startWithSessions(sessions: string, { service = "", environment = {} } = {}) {
  return startProject({
    files: { "avatarops.yaml": `service: { ${service} }\n${desk}sessions:\n${sessions}` },
    environment,
    world: structuredClone(world),
    ...(service ? { emulator: { profile: "liveavatar" } } : {}),
  });
}

const profile = "profile: liveavatar";
const full = `avatar_id: ${avatar}, mode: FULL, persona: { context: desk }`;
const lite = `avatar_id: ${avatar}, mode: LITE`;

describe("preset fields that a profile adds", () => {
  test("are sent as declared, and the LiveKit room token is read from its source", async () => {
    const { avatarops, emulator } = await startWithSessions(
      `  desk:
    avatar_id: ${avatar}
    persona: { context: desk, llm_settings: { provider: openai, model: gpt-4o } }
    dynamic_variables: { customer: Anna, order: !env ORDER }
    memory: { prev_session_id: earlier }
  agent: { avatar_id: ${avatar}, mode: FULL, voice_agent: { id: a-1 } }
  room:
    ${lite.replace(", ", "\n    ")}
    livekit_config: { livekit_url: "wss://rooms.example", livekit_room: r, livekit_client_token: !env ROOM }
`,
      { service: profile, environment: { ORDER: "A-7", ROOM: "the-room-token" } },
    );
    const applied = await avatarops("apply", "--auto-approve");
    expect(applied).toMatchObject({ exit: 0 });
    for (const key of ["desk", "agent", "room"])
      expect(await avatarops("token", key)).toMatchObject({ exit: 0, stderr: "" });
    const context_id = emulator.world.contexts.find(({ name }) => name === "Desk")?.id;
    expect(emulator.requests.slice(-3).map(({ body }) => body)).toEqual([
      {
        avatar_id: avatar,
        avatar_persona: { context_id, llm_settings: { provider: "openai", model: "gpt-4o" } },
        dynamic_variables: { customer: "Anna", order: "A-7" },
        memory: { prev_session_id: "earlier" },
      },
      { avatar_id: avatar, mode: "FULL", voice_agent: { id: "a-1" } },
      {
        avatar_id: avatar,
        mode: "LITE",
        livekit_config: {
          ...{ livekit_url: "wss://rooms.example", livekit_room: "r" },
          livekit_client_token: "the-room-token",
        },
      },
    ]);
    const printed = (await avatarops("generate", "presets")).stdout;
    expect([printed, JSON.stringify(applied)]).not.toContainEqual(matchText("the-room-token"));
    expect(JSON.parse(printed).presets.room.environment).toEqual([
      { path: ["livekit_config", "livekit_client_token"], variable: "ROOM" },
    ]);
  });

  test("are sent as declared in TypeScript, including variable names and a `from` key in `extra`", async () => {
    const { avatarops, emulator } = await startProject({
      world: structuredClone(world),
      environment: { ROOM: "the-room-token" },
      files: {
        "avatarops.config.ts": `import { env, Preset, Project } from "avatarops";
const kiosk = { extra: { more_variables: { cityName: "Bern" } } };
const project = new Project({ environments: { staging: { sessions: { kiosk } } } });
new Preset(project, "kiosk", {
  avatarId: "${avatar}",
  mode: "LITE",
  dynamicVariables: { userName: "Anna", from: env("ROOM") },
  livekitConfig: { livekitUrl: "wss://rooms.example", livekitRoom: "r", livekitClientToken: env("ROOM") },
  persona: { language: "en", extra: { tone: { modelName: "x" } } },
  extra: { more_variables: { cityName: "Lindau" }, rooms: { from: "somewhere", tokens: ["a", env("ROOM")] } },
});
export default project;
`,
      },
    });
    expect(await avatarops("token", "kiosk", "--env", "staging")).toMatchObject({ exit: 0 });
    expect(emulator.requests.at(-1)?.body).toMatchObject({
      dynamic_variables: { userName: "Anna", from: "the-room-token" },
      livekit_config: { livekit_room: "r", livekit_client_token: "the-room-token" },
      avatar_persona: { language: "en", tone: { modelName: "x" } },
      more_variables: { cityName: "Bern" },
      rooms: { from: "somewhere", tokens: ["a", "the-room-token"] },
    });
  });
});

describe("session variables", () => {
  test("cause a warning if they are unused or missing from a token request", async () => {
    const { avatarops, emulator } = await startWithSessions(
      `  desk:\n    ${full.replaceAll(/, (?=mode|persona)/g, "\n    ")}\n    dynamic_variables:\n      custommer: Anna\n`,
    );
    const missing = 'sessions.desk has no value for these placeholders in its context: "customer", "order"';
    const superfluous =
      'sessions.desk has a value for "custommer", which is not a placeholder in its context';
    const validated = await avatarops("validate");
    expect(validated).toMatchObject({ exit: 0, stdout: matchText(superfluous) });
    expect(validated.stdout).toMatch(/avatarops\.yaml:10:18/);
    // An application may provide the missing value.
    expect(validated.stdout).not.toMatch("has no value for");
    await avatarops("apply", "--auto-approve");
    expect(await avatarops("smoke", "desk")).toMatchObject({ stderr: matchText(missing) });
    const { exit, stderr } = await avatarops("token", "desk");
    expect([exit, stderr, stderr]).toEqual([0, matchText(missing), matchText(superfluous)]);
    expect(stderr.match(/has no value for/g)).toHaveLength(1);
    expect(emulator.requests.at(-1)?.body).toMatchObject({ dynamic_variables: { custommer: "Anna" } });
  });
});

test("sends the ids of preset references whose names come from files", async () => {
  const { avatarops, write, expectDone, emulator } = await startWithSessions(
    `  desk: { avatar: !file host.txt, mode: FULL, persona: { context: !file active.txt } }
avatars: { front: { id: ${avatar} } }
`,
  );
  await write("host.txt", "front\n");
  await write("active.txt", "desk\n");
  expect((await expectDone("apply", "--auto-approve")).stderr).not.toContain("without a context");
  expect(await avatarops("token", "desk")).toMatchObject({ exit: 0 });
  const context_id = emulator.world.contexts.find(({ name }) => name === "Desk")?.id;
  expect(emulator.requests.at(-1)?.body).toMatchObject({
    avatar_id: avatar,
    avatar_persona: { context_id },
  });
});
