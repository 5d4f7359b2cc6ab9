import { describe, expect, test } from "vitest";
import { sampleDataset, sandboxAvatarId } from "../../src/emulator/index.js";
import { saying, startProject } from "./hosting.js";

const world = sampleDataset(Date.now());
const avatar = world.avatars.find(({ name }) => name === "Front desk")?.id ?? "";

function projectOf(sessions: string, environment: Record<string, string> = {}) {
  const files = { "avatarops.yaml": `sessions:\n${sessions}` };
  return startProject({ files, environment, world: structuredClone(world) });
}

const begins = `avatar_id: ${avatar}, mode: LITE`;

describe("extra of a preset", () => {
  test("is sent as it stands, at the top and in each group", async () => {
    const { avatarops, emulator } = await projectOf(`  kiosk:
    avatar_id: ${avatar}
    mode: LITE
    persona:
      language: en
      voice_settings: { speed: 1.1, extra: { latency: 3 } }
      extra: { llm_settings: { provider: openai, model: gpt-4o } }
    video_settings: { extra: { fps: 25 } }
    extra:
      dynamic_variables: { userName: Anna, "\${weird}": "" }
      livekit_config: { from: somewhere, list: [1, null, { deep: false }], none: null }
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
        llm_settings: { provider: "openai", model: "gpt-4o" },
      },
      video_settings: { fps: 25 },
      dynamic_variables: { userName: "Anna", "${weird}": "" },
      livekit_config: { from: "somewhere", list: [1, null, { deep: false }], none: null },
      ["__proto__"]: { polluted: true },
    });
  });

  test("is the same in TypeScript, where a text called `from` is no source", async () => {
    const project = await startProject({
      world: structuredClone(world),
      environment: { ROOM: "the-room-token" },
      files: {
        "avatarops.config.ts": `import { env, Preset, Project } from "avatarops";
const project = new Project({ environments: { staging: { sessions: { kiosk: { extra: { dynamic_variables: { cityName: "Bern" } } } } } } });
new Preset(project, "kiosk", {
  avatarId: "${avatar}",
  mode: "LITE",
  persona: { language: "en", extra: { llm_settings: { modelName: "x" } } },
  extra: {
    dynamic_variables: { userName: "Anna", cityName: "Lindau" },
    livekit_config: { from: "somewhere", tokens: ["a", env("ROOM")] },
  },
});
export default project;
`,
      },
    });
    expect(await project.avatarops("token", "kiosk", "--env", "staging")).toMatchObject({ exit: 0 });
    expect(project.emulator.requests.at(-1)?.body).toEqual({
      avatar_id: avatar,
      mode: "LITE",
      avatar_persona: { language: "en", llm_settings: { modelName: "x" } },
      dynamic_variables: { userName: "Anna", cityName: "Bern" },
      livekit_config: { from: "somewhere", tokens: ["a", "the-room-token"] },
    });
  });

  test("takes no construct: it would be sent as a name", async () => {
    const { avatarops } = await startProject({
      files: {
        "avatarops.config.ts": `import { Context, Preset, Project } from "avatarops";
const project = new Project();
const context = new Context(project, "desk", { name: "Desk", prompt: "You help." });
new Preset(project, "kiosk", { mode: "LITE", extra: { agent: { context } } } as never);
export default project;
`,
      },
    });
    const { exit, stdout } = await avatarops("validate");
    expect([exit, stdout]).toEqual([1, saying("extra is sent as it stands: write the id")]);
  });

  test.each([
    [
      "avatar_persona: {}",
      'extra has "avatar_persona", which is a field of its own',
      "write persona: beside",
    ],
    ["avatar_id: x", 'extra has "avatar_id", which is a field of its own', "write avatar: or avatar_id:"],
    ["mode: FULL", 'extra has "mode", which is a field of its own', "write mode: beside extra:"],
    ["n: .inf", "extra.n is a number that JSON cannot hold exactly", "put it in quotes"],
    ["n: 12345678901234567890", "extra.n is a number that JSON cannot hold exactly", "put it in quotes"],
    ["t: !env 1x", "!env must be followed by", "extra"],
    ["t: !nowhere x", "!nowhere", "extra"],
  ])("refuses %s", async (extra, message, hint) => {
    const { avatarops } = await projectOf(`  kiosk: { ${begins}, extra: { ${extra} } }\n`);
    const { exit, stdout } = await avatarops("validate");
    expect([exit, stdout, stdout]).toEqual([1, saying(message), saying(hint)]);
  });

  test.each(["extra: text", "extra: [1]", "extra: !env EXTRA", "persona: { extra: 1 }"])(
    "is a mapping: not %s",
    async (extra) => {
      const { avatarops } = await projectOf(`  kiosk: { ${begins}, ${extra} }\n`);
      const { exit, stdout } = await avatarops("validate");
      expect([exit, stdout]).toEqual([1, saying("extra must be a mapping")]);
    },
  );

  test("without a value is nothing", async () => {
    const { avatarops, emulator } = await projectOf(`  kiosk: { ${begins}, extra: }\n`);
    expect(await avatarops("token", "kiosk")).toMatchObject({ exit: 0 });
    expect(emulator.requests.at(-1)?.body).toEqual({ avatar_id: avatar, mode: "LITE" });
  });
});

describe("a secret in extra", () => {
  const sessions = `  kiosk:
    ${begins.replace(", ", "\n    ")}
    extra:
      livekit_config:
        livekit_room: lobby
        keys: [a, !env ROOM_KEY]
        livekit_client_token: !exec [echo, the-client-token]
      note: !file note.txt
`;

  test("comes from its source when a token is requested, and at no other time", async () => {
    const { avatarops, emulator, write } = await projectOf(sessions, { ROOM_KEY: "the-room-key" });
    await write("note.txt", "the-note\n");
    for (const argv of [["validate"], ["plan"], ["apply", "--auto-approve"]])
      expect(await avatarops(...argv), argv.join(" ")).toMatchObject({ exit: 0 });
    expect(await avatarops("token", "kiosk")).toMatchObject({ exit: 0 });
    expect(emulator.requests.at(-1)?.body).toMatchObject({
      livekit_config: {
        livekit_room: "lobby",
        keys: ["a", "the-room-key"],
        livekit_client_token: "the-client-token",
      },
      note: "the-note",
    });
  });

  test("is in no file, and not in what is said of a refusal that repeats it", async () => {
    const { avatarops, emulator, write, has, read } = await projectOf(sessions, { ROOM_KEY: "ab" });
    await write("note.txt", "n");
    await avatarops("apply", "--auto-approve");
    const body = JSON.stringify({ code: 4000, data: null, message: "bad key ab for the-client-token" });
    emulator.addFault({ match: { path: "/v1/sessions/token" }, do: { kind: "status", status: 400, body } });
    const refused = await avatarops("token", "kiosk");
    expect(refused).toMatchObject({ exit: 1, stdout: "" });
    expect(refused.stderr).toEqual(saying("its message is withheld"));
    expect(refused.stderr).not.toContain("the-client-token");
    if (has(".avatarops/state.json"))
      expect(await read(".avatarops/state.json")).not.toContain("the-client-token");
  });

  test("that has no value is told by its source", async () => {
    const { avatarops, emulator, write } = await projectOf(sessions);
    await write("note.txt", "n");
    const refused = await avatarops("token", "kiosk");
    expect(refused).toMatchObject({ exit: 1, stdout: "" });
    expect(refused.stderr).toEqual(saying("environment variable ROOM_KEY"));
    expect(emulator.requests).toEqual([]);
  });

  test("is refused as a literal if it looks like a key, and warned of if its name says so", async () => {
    const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJyb29tIjoibG9iYnkifQ.c2ln";
    const pasted = await projectOf(`  kiosk: { ${begins}, extra: { a: { room: ${jwt} } } }\n`);
    const { exit, stdout } = await pasted.avatarops("validate");
    expect([exit, stdout]).toEqual([1, saying("kiosk.extra.a.room must not be a literal")]);
    expect(stdout).not.toContain(jwt);

    const named = await projectOf(`  kiosk: { ${begins}, extra: { agora_token: abcdefgh, secret_id: x } }\n`);
    const warned = await named.avatarops("validate");
    expect(warned.exit).toBe(0);
    expect(warned.stdout).toEqual(saying("kiosk.extra.agora_token looks like a secret, and is in the file"));
    expect(warned.stdout).not.toContain("abcdefgh");
    expect(warned.stdout).not.toContain("extra.secret_id");
  });
});

test("variables beyond what deployments take are warned of, without their values", async () => {
  const many = Array.from({ length: 51 }, (_, i) => `v${i}: x`).join(", ");
  for (const [variables, code] of [
    [many, "variable-count"],
    [`${"n".repeat(65)}: x`, "variable-name"],
    [`v: ${"secret".repeat(200)}`, "variable-value"],
  ] as const) {
    const { avatarops } = await projectOf(`  kiosk:
    ${begins.replace(", ", "\n    ")}
    extra:
      dynamic_variables:
        { ${variables} }
`);
    const { exit, stdout } = await avatarops("validate", "--format", "json");
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; message: string }[] };
    expect([exit, diagnostics.map((one) => one.code)]).toEqual([0, [code]]);
    expect(diagnostics[0]?.message).toContain("which some deployments refuse");
    expect(diagnostics[0]?.message).not.toContain("secretsecret");
  }
});

test.each([
  ["avatar_id: host", "write avatar: instead of avatar_id:"],
  ["persona: { context_id: desk }", "write context: instead of context_id:"],
  ["avatar_id: hots", "8-4-4-4-12 hex digits"],
])("a name in the place of an id is answered with a hint: %s", async (fields, hint) => {
  const { avatarops } = await startProject({
    files: {
      "avatarops.yaml": `avatars: { host: { id: ${avatar} } }
contexts: { desk: { name: Desk, prompt: You help. } }
sessions: { kiosk: { mode: LITE, ${fields} } }
`,
    },
  });
  const { exit, stdout } = await avatarops("validate");
  expect([exit, stdout]).toEqual([1, saying(hint)]);
});

test("persona's voice and language may be left out, where the deployment has a default", async () => {
  const sandbox = `  kiosk: { avatar_id: ${sandboxAvatarId}, mode: FULL, is_sandbox: true, persona: { context_id: ${world.contexts[0]?.id} } }\n`;
  const strict = await projectOf(sandbox);
  expect(await strict.avatarops("token", "kiosk")).toMatchObject({ exit: 1, stdout: "" });
  const files = { "avatarops.yaml": `sessions:\n${sandbox}` };
  const emulator = { behaviour: { sandboxPersona: "optional" } } as const;
  const lenient = await startProject({ files, emulator, world: structuredClone(world) });
  expect(await lenient.avatarops("token", "kiosk")).toMatchObject({ exit: 0 });
});

describe("a preset without a context", () => {
  test.each([
    ["mode: FULL", true],
    ["mode: FULL, extra: { dynamic_variables: {} }", true],
    ["mode: FULL, persona: { extra: { voice_agent: x } }", true],
    ["mode: FULL, extra: { voice_agent: { id: x } }", false],
    ["mode: FULL, extra: { voice_agent: !env AGENT }", false],
    ["mode: LITE", false],
  ])("of %s: warns %s", async (fields, warns) => {
    const { avatarops } = await projectOf(`  kiosk: { avatar_id: ${avatar}, ${fields} }\n`);
    const { exit, stdout } = await avatarops("validate");
    expect([exit, stdout.includes("preset-without-context")]).toEqual([0, warns]);
  });
});
