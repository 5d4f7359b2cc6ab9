import { describe, expect, test } from "vitest";
import { sampleDataset } from "../../src/emulator/index.js";
import { saying, startProject } from "./hosting.js";

const world = sampleDataset(Date.now(), "liveavatar");
const avatar = world.avatars.find(({ name }) => name === "Front desk")?.id ?? "";
const desk = `contexts:
  desk: { name: Desk, prompt: "Help \${customer} with \${order}.", opening_text: "Hi \${customer}" }
`;

function projectOf(sessions: string, { service = "", environment = {} } = {}) {
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

describe("the fields of a profile", () => {
  test("are sent as declared, with the token of the room from its source only", async () => {
    const { avatarops, emulator } = await projectOf(
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
    expect([printed, JSON.stringify(applied)]).not.toContainEqual(saying("the-room-token"));
    expect(JSON.parse(printed).presets.room.environment).toEqual([
      { path: ["livekit_config", "livekit_client_token"], variable: "ROOM" },
    ]);
  });

  test("are the same in TypeScript, where names of variables stay as they are", async () => {
    const { avatarops, emulator } = await startProject({
      world: structuredClone(world),
      environment: { ROOM: "the-room-token" },
      files: {
        "avatarops.config.ts": `import { env, Preset, Project } from "avatarops";
const project = new Project();
new Preset(project, "kiosk", {
  avatarId: "${avatar}",
  mode: "LITE",
  dynamicVariables: { userName: "Anna", from: env("ROOM") },
  livekitConfig: { livekitUrl: "wss://rooms.example", livekitRoom: "r", livekitClientToken: env("ROOM") },
});
export default project;
`,
      },
    });
    expect(await avatarops("token", "kiosk")).toMatchObject({ exit: 0 });
    expect(emulator.requests.at(-1)?.body).toMatchObject({
      dynamic_variables: { userName: "Anna", from: "the-room-token" },
      livekit_config: { livekit_room: "r", livekit_client_token: "the-room-token" },
    });
  });

  test.each([
    [
      "livekit_config: { livekit_client_token: my-own-token }",
      "livekit_config.livekit_client_token must be a source (!env NAME",
    ],
    ["livekit_config: { livekit_token: my-own-token }", 'livekit_config has no field "livekit_token"'],
    ["livekit_config: { livekit_url: 1 }", "livekit_config.livekit_url must be text, not a number"],
    ["dynamic_variables: { n: 1 }", "dynamic_variables.n must be text, not a number"],
    ["dynamic_variables: !env ALL", "dynamic_variables cannot come from !env"],
    ["dynamic_variables: [a]", "dynamic_variables must be a mapping, not a list"],
    ["dynamic_variables: { t: eyJhbGciOi.x }", "dynamic_variables.t must not be a literal"],
    ["memory: { a: b }", 'memory has no field "a"'],
    [
      "memory: { prev_session_id: a }, extra: { memory: {} }",
      'extra has "memory", which is a field of its own',
    ],
  ])("refuse %s", async (fields, message) => {
    const { avatarops } = await projectOf(`  room: { ${lite}, ${fields} }\n`);
    const { exit, stdout } = await avatarops("validate");
    expect([exit, stdout]).toEqual([1, saying(message)]);
    expect(stdout).not.toMatch(/my-own-token|eyJ/);
  });
});

describe("the variables of a session", () => {
  test("that are missing or superfluous are named with their place, and before a token is requested", async () => {
    const { avatarops, emulator } = await projectOf(
      `  desk:\n    ${full.replaceAll(/, (?=mode|persona)/g, "\n    ")}\n    dynamic_variables:\n      custommer: Anna\n`,
    );
    const missing =
      'sessions.desk has no value for "customer", "order", which its context has as placeholders';
    const superfluous = 'sessions.desk has a value for "custommer", which is no placeholder of its context';
    const validated = await avatarops("validate");
    expect(validated).toMatchObject({ exit: 0, stdout: saying(missing) });
    expect(validated.stdout).toEqual(saying(superfluous));
    expect(validated.stdout).toMatch(/avatarops\.yaml:10:18/);
    await avatarops("apply", "--auto-approve");
    const { exit, stderr } = await avatarops("token", "desk");
    expect([exit, stderr, stderr]).toEqual([0, saying(missing), saying(superfluous)]);
    expect(stderr.match(/has no value for/g)).toHaveLength(1);
    expect(emulator.requests.at(-1)?.body).toMatchObject({ dynamic_variables: { custommer: "Anna" } });
  });

  test("may be left to an application: then only what requests a token itself says so", async () => {
    const { avatarops } = await projectOf(
      `  kiosk: { ${full}, extra: { dynamic_variables: { order: none, city: Bern } } }\n`,
    );
    const validated = await avatarops("validate");
    expect(validated.stdout).toEqual(saying('has a value for "city", which is no placeholder'));
    expect(validated.stdout).not.toMatch("has no value for");
    await avatarops("apply", "--auto-approve");
    for (const command of ["token", "smoke"])
      expect(await avatarops(command, "kiosk")).toMatchObject({
        stderr: saying('sessions.kiosk has no value for "customer", which'),
      });
  });
});

describe("with a profile", () => {
  test.each([
    [`{ avatar_id: ${avatar} }`, false],
    [`{ ${full}, voice_agent: { id: a } }`, false],
    [`{ ${full}, extra: { voice_agent: !env AGENT } }`, false],
    [`{ ${full} }`, true],
    [`{ avatar_id: ${avatar}, extra: { voice_agent: !env AGENT } }`, true],
    [`{ ${lite} }`, true],
  ])("mode FULL takes a persona or a voice agent: %s", async (preset, isRight) => {
    const { avatarops, emulator } = await projectOf(`  desk: ${preset}\n`, { service: profile });
    const { exit, stdout } = await avatarops("validate");
    expect([exit, /must have either persona or voice_agent/.test(stdout)]).toEqual([
      isRight ? 0 : 1,
      !isRight,
    ]);
    if (!isRight) expect(await avatarops("token", "desk")).toMatchObject({ exit: 1 });
    expect(emulator.requests).toEqual([]);
  });

  test.each([
    ["plan: free", 121, "the plan free ends sessions after 2 minutes"],
    ["plan: free", 120, undefined],
    ["plan: business", 3601, "the plan business ends sessions after 60 minutes"],
    ["plan: enterprise", 100_000, undefined],
    ["timeout_seconds: 9", 100_000, undefined],
  ])("%s is held against sessions of %s seconds", async (plan, seconds, message) => {
    const preset = `  desk: { ${full}, max_session_duration: ${seconds} }\n`;
    const { avatarops } = await projectOf(preset, { service: `${profile}, ${plan}` });
    const { exit, stdout } = await avatarops("validate");
    expect([exit, stdout]).toEqual([
      0,
      message ? saying(message) : expect.not.stringMatching("ends sessions"),
    ]);
  });

  test("an environment is held to its own plan and profile", async () => {
    const { avatarops } = await projectOf(
      `  desk: { avatar_id: ${avatar}, mode: FULL, max_session_duration: 600 }
environments:
  live: { service: { profile: liveavatar, plan: starter } }
`,
    );
    const { exit, stdout } = await avatarops("validate");
    expect([exit, stdout, stdout]).toEqual([
      1,
      saying("must have either persona or voice_agent"),
      saying("the plan starter ends sessions after 5 minutes"),
    ]);
  });
});
