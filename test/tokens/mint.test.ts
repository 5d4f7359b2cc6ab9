import { inspect } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createSampleDataset, sandboxAvatarId } from "../../src/emulator/index.js";
import { mintToken, type PresetsFile, TokenError } from "../../src/index.js";
import { matchText, type Project, startAndApply, startProject } from "../cli/hosting.js";

const world = createSampleDataset(Date.now());
const avatar = world.avatars.find(({ name }) => name === "Front desk")?.id ?? "";

const manifest = `service: { sandbox_avatar: ${sandboxAvatarId} }
avatars:
  host: { id: ${avatar}, name: Front desk }
contexts:
  returns: { name: Returns, prompt: "Help \${customer} with \${order}.", opening_text: "Hi \${customer}" }
sessions:
  kiosk:
    avatar: host
    mode: FULL
    persona: { context: returns, language: en }
    dynamic_variables: { order: none }
  room:
    avatar: host
    mode: LITE
    livekit_config:
      livekit_url: wss://a.example
      livekit_client_token: !exec [echo, x]
      extra: { list: [!env ROOM_KEY] }
  plain: { avatar: host, mode: LITE }
  box: { avatar: host, mode: LITE, is_sandbox: true }
`;

/** Starts an applied project and exports its presets for an application. */
async function startWithPresets() {
  const files = { "avatarops.yaml": manifest };
  const project = await startAndApply({ files, world: structuredClone(world) });
  const printed = await project.avatarops("generate", "presets");
  expect(printed).toMatchObject({ exit: 0, stderr: "" });
  await project.write("presets.json", printed.stdout);
  const file = `${project.folder}/presets.json`;
  const how = { presets: file, apiKey: "test-key" };
  return { ...project, file, how, printed: JSON.parse(printed.stdout) as PresetsFile };
}

afterEach(() => vi.unstubAllEnvs());

function listBodies({ emulator }: Pick<Project, "emulator">): unknown[] {
  return emulator.requests.filter(({ path }) => path === "/v1/sessions/token").map(({ body }) => body);
}

describe("generate presets", () => {
  test("prints presets with ids but no secrets, and sends no request", async () => {
    const { printed, emulator, avatarops } = await startWithPresets();
    const context = emulator.world.contexts.find(({ name }) => name === "Returns")?.id ?? "";
    const text = JSON.stringify(printed, undefined, 2).replace(emulator.url, "http://service");
    await expect(text.replace(context, "returns")).toMatchFileSnapshot("presets.txt");
    const before = emulator.requests.length;
    const some = await avatarops("generate", "presets", "plain");
    expect(Object.keys(JSON.parse(some.stdout).presets)).toEqual(["plain"]);
    expect(await avatarops("generate", "presets", "plan")).toMatchObject({ exit: 1, stdout: "" });
    expect(emulator.requests.length).toBe(before);
  });

  test("fails if an object is unapplied or the state belongs to another account", async () => {
    const { avatarops, avataropsWith } = await startProject({ files: { "avatarops.yaml": manifest } });
    expect(await avatarops("generate", "presets")).toMatchObject({
      exit: 1,
      stdout: "",
      stderr: matchText("refers to objects whose ids are not known yet: context.returns"),
    });
    await avatarops("apply", "--auto-approve", "--target", "context.returns");
    const elsewhere = { environment: { AVATAROPS_BASE_URL: "https://other.example" } };
    expect(await avataropsWith(elsewhere, "generate", "presets")).toMatchObject({
      exit: 1,
      stdout: "",
      stderr: matchText("The state belongs to"),
    });
  });
});

describe("mintToken", () => {
  test("fills placeholders, reads the API key and base URL from the environment and hides the token from logs", async () => {
    const project = await startWithPresets();
    vi.stubEnv("AVATAROPS_PRESETS", project.file);
    vi.stubEnv("AVATAROPS_API_KEY", "test-key\n");
    vi.stubEnv("AVATAROPS_BASE_URL", project.emulator.url);
    const token = await mintToken("kiosk", { dynamicVariables: { customer: 'Anna "${order}" 💐' } });
    expect(listBodies(project)).toMatchObject([
      { mode: "FULL", dynamic_variables: { order: "none", customer: 'Anna "${order}" 💐' } },
    ]);
    expect(token).toMatchObject({ preset: "kiosk", sandbox: false, avatarId: avatar });
    const secret = token.reveal();
    expect(secret).toMatch(/^session-token-/);
    for (const shown of [
      String(token),
      JSON.stringify(token),
      inspect(token, { depth: 9, showHidden: true }),
    ])
      expect(shown).not.toContain(secret);
  });

  test("overrides the preset's fields with extra fields, and uses the sandbox avatar if requested", async () => {
    const project = await startWithPresets();
    vi.stubEnv("ROOM_KEY", "the-room-key");
    const livekit_config = { livekit_client_token: "mine", livekit_room: "lobby" };
    await mintToken("room", { ...project.how, extra: { livekit_config, memory: null } });
    const own = { livekit_client_token: "mine", list: ["a"] };
    vi.unstubAllEnvs();
    await mintToken("room", { ...project.how, extra: { livekit_config: own } });
    expect(listBodies(project)).toEqual([
      {
        ...{ avatar_id: avatar, mode: "LITE", memory: null },
        livekit_config: { livekit_url: "wss://a.example", list: ["the-room-key"], ...livekit_config },
      },
      {
        ...{ avatar_id: avatar, mode: "LITE" },
        livekit_config: { livekit_url: "wss://a.example", ...own },
      },
    ]);
    project.emulator.addFault({
      match: { path: "/v1/sessions/token" },
      do: { kind: "malformed", body: JSON.stringify({ code: 100, data: { session_token: "t" } }) },
    });
    expect(await mintToken("plain", { ...project.how, sandbox: true })).toMatchObject({ sandbox: true });
    expect(listBodies(project).at(-1)).toEqual({
      ...{ avatar_id: sandboxAvatarId, mode: "LITE", is_sandbox: true },
    });
    await mintToken("box", { ...project.how, sandbox: false });
    expect(listBodies(project).at(-1)).toEqual({ avatar_id: avatar, mode: "LITE" });
  });

  const refused: readonly (readonly [string, string, object, string | undefined, string])[] = [
    ["an unknown preset", "kiosc", {}, "unknown-preset", "It has kiosk, room, plain, box"],
    ["a preset called constructor", "constructor", {}, "unknown-preset", "It has kiosk"],
    ["a placeholder without a value", "kiosk", {}, "missing-variable", 'without a value: "customer"'],
    [
      "a placeholder that is undefined",
      "kiosk",
      { dynamicVariables: { customer: undefined, order: "secret-order" } },
      "missing-variable",
      "customer",
    ],
    ["a source other than a variable", "room", {}, "missing-value", "livekit_client_token (!exec)"],
    [
      "a variable that is not set",
      "room",
      { extra: { livekit_config: { livekit_client_token: "secret-token" } } },
      "not-set",
      "ROOM_KEY",
    ],
    ["extra that is not JSON", "plain", { extra: { n: 1n } }, undefined, "extra is not JSON"],
    [
      "a variable that is not a string",
      "kiosk",
      { dynamicVariables: { customer: 17 } },
      undefined,
      '"customer" must be a string',
    ],
    ["no key", "plain", { apiKey: "" }, "not-set", "AVATAROPS_API_KEY"],
    ["another account", "plain", { baseUrl: "https://other.example" }, "other-service", "belong to"],
    ["an invalid base URL", "plain", { baseUrl: "other" }, "not-set", "base URL"],
    ["no file", "plain", { presets: "nowhere.json" }, "no-presets", "avatarops generate presets >"],
    ["another document", "plain", { presets: { format: "x" } }, "no-presets", "format is missing or invalid"],
    [
      "a newer file",
      "plain",
      { presets: { format: "avatarops/presets", version: 2 } },
      "no-presets",
      "was written by a newer version of avatarops (format",
    ],
  ];

  test("rejects an invalid request with an error code before sending anything", async () => {
    const project = await startWithPresets();
    for (const [what, preset, request, code, says] of refused) {
      const failed = await mintToken(preset, { ...project.how, ...request }).catch((e: unknown) => e);
      expect(failed, what).toBeInstanceOf(code ? TokenError : TypeError);
      if (code) expect(failed, what).toMatchObject({ code, preset });
      expect(String(failed), what).toContain(says);
      expect(inspect(failed, { depth: 9, showHidden: true }), what).not.toMatch(/secret-/);
    }
    expect(listBodies(project)).toEqual([]);
  });

  test("finds a presets file created after a failed call, and reads it only once", async () => {
    const project = await startWithPresets();
    const presets = `${project.folder}/later.json`;
    await expect(mintToken("plain", { ...project.how, presets })).rejects.toMatchObject({
      code: "no-presets",
    });
    await project.write("later.json", JSON.stringify(project.printed));
    await mintToken("plain", { ...project.how, presets });
    await project.write("later.json", "{");
    await mintToken("plain", { ...project.how, presets: new URL(`file://${presets}`) });
    expect(listBodies(project)).toHaveLength(2);
  });

  test("omits the service's message if it may repeat the caller's values", async () => {
    const project = await startWithPresets();
    const body = JSON.stringify({ code: 4000, data: null, message: "no such customer: Anna" });
    const fault = {
      match: { path: "/v1/sessions/token" },
      do: { kind: "status", status: 400, body },
    } as const;
    project.emulator.addFault({ ...fault });
    const request = { ...project.how, dynamicVariables: { customer: "Anna" } };
    const refused = await mintToken("kiosk", request).catch((e: unknown) => e);
    expect(refused).toMatchObject({ name: "ServiceError", code: "refused" });
    expect(inspect(refused, { depth: 9, showHidden: true })).not.toContain("Anna");
    project.emulator.addFault({ ...fault });
    await expect(mintToken("plain", project.how)).rejects.toThrow("no such customer: Anna");
  });

  test("rejects immediately if its signal is aborted, and sends no queued requests", async () => {
    const project = await startWithPresets();
    const reason = new Error("the visitor left");
    const aborted = AbortSignal.abort(reason);
    await expect(mintToken("plain", { ...project.how, signal: aborted })).rejects.toBe(reason);
    expect(listBodies(project)).toEqual([]);

    // Exceeds the maximum number of concurrent requests, so the last ones are queued.
    const leaving = new AbortController();
    const many = Array.from({ length: 20 }, (_, i) =>
      mintToken("plain", { ...project.how, ...(i >= 10 ? { signal: leaving.signal } : {}) }),
    );
    const settled = Promise.allSettled(many);
    leaving.abort(reason);
    const results = await settled;
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    // Waits until all earlier requests have had a response.
    await mintToken("plain", project.how);
    expect(listBodies(project)).toHaveLength(11);
  });
});
