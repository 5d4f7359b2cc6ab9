import { describe, expect, test } from "vitest";
import { generateDataset, sampleDataset } from "../../../src/emulator/index.js";
import { createProvider } from "../../../src/entrypoints/terraform/index.js";
import { account, imported, type Kept, startRun } from "./driving.js";

describe("an avatar", () => {
  const type = "avatarops_avatar";

  test("is adopted by its id, and written to only where its name differs", async () => {
    const emulator = await account({ world: generateDataset({ avatars: 2, voices: 1 }) });
    const [first, second] = emulator.world.avatars;
    const run = await startRun(emulator);
    await run.apply(type, { id: first?.id ?? "", name: "Avatar 1" });
    expect(emulator.requests.every(({ method }) => method === "GET")).toBe(true);
    const { kept, said } = await run.apply(type, { id: second?.id ?? "", name: "Host" });
    expect(said).toMatchObject([
      {
        severity: "warning",
        detail: expect.stringContaining('Its name there is "Avatar 2"'),
        path: ["name"],
      },
    ]);
    expect(second?.name).toBe("Host");
    expect(kept?.state).toMatchObject({ name: "Host", status: "ACTIVE", default_voice: { name: "Voice 1" } });
  });

  test("without a name keeps the one it has", async () => {
    const emulator = await account({ world: generateDataset({ avatars: 1 }) });
    const run = await startRun(emulator);
    const { kept } = await run.apply(type, { id: emulator.world.avatars[0]?.id ?? "" });
    expect(kept?.state).toMatchObject({ name: "Avatar 1", default_voice: null });
    expect(emulator.requests.every(({ method }) => method === "GET")).toBe(true);
  });

  test("of an id that nobody has is told when it is planned, and refused when it is applied", async () => {
    const emulator = await account();
    const id = "00000000-0000-4000-8000-000000000000";
    const { said } = await (await startRun(emulator)).apply(type, { id });
    expect(said).toMatchObject([
      { severity: "warning", path: ["id"] },
      { severity: "error", path: ["id"] },
    ]);
  });

  test("and a hundred more cost two requests to refresh", async () => {
    const emulator = await account({ world: generateDataset({ avatars: 100 }) });
    const run = await startRun(emulator);
    await Promise.all(emulator.world.avatars.map(({ id }) => run.refresh(type, imported(type, id))));
    expect(emulator.requests).toHaveLength(2);
  });
});

describe("a voice", () => {
  const type = "avatarops_voice";

  test("that no avatar shows is renamed, and known as last applied from then on", async () => {
    const emulator = await account({ world: generateDataset({ voices: 2, avatars: 1 }) });
    const unseen = emulator.world.voices[1]?.id ?? "";
    const run = await startRun(emulator);
    const { kept } = await run.apply(type, { id: unseen, name: "Narrator" });
    expect(emulator.world.voices[1]?.name).toBe("Narrator");
    const next = await (await startRun(emulator)).refresh(type, kept as Kept);
    expect(next.kept?.state).toEqual(kept?.state);
    expect(next.said).toMatchObject([
      {
        severity: "warning",
        summary: "Some voices cannot be seen",
        detail: expect.stringContaining("as last applied"),
      },
    ]);
  });

  test("that an avatar shows is seen, and not written to without need", async () => {
    const emulator = await account({ world: generateDataset({ voices: 1, avatars: 1 }) });
    const id = emulator.world.voices[0]?.id ?? "";
    const run = await startRun(emulator);
    const { kept } = await run.apply(type, { id, name: "Voice 1" });
    expect(emulator.requests.every(({ method }) => method === "GET")).toBe(true);
    emulator.renameVoice(id, "Other");
    const next = await (await startRun(emulator)).refresh(type, kept as Kept);
    expect(next.kept?.state.name).toBe("Other");
  });

  test("that an avatar shows under its old name gets that one back, too", async () => {
    const world = generateDataset({ voices: 1, avatars: 1 });
    const emulator = await account({ world, behaviour: { voiceNames: "outdated" } });
    const id = emulator.world.voices[0]?.id ?? "";
    const { kept } = await (await startRun(emulator)).apply(type, { id, name: "Narrator" });
    await (await startRun(emulator)).apply(type, { id, name: "Voice 1" }, kept as Kept);
    expect(emulator.world.voices[0]?.name).toBe("Voice 1");
  });

  test("that was imported and cannot be seen has no name until it is applied, and that is said", async () => {
    const emulator = await account({ world: generateDataset({ voices: 1 }) });
    const run = await startRun(emulator);
    const { kept, said } = await run.refresh(type, imported(type, emulator.world.voices[0]?.id ?? ""));
    expect(kept?.state.name).toBeNull();
    expect(said).toMatchObject([{ severity: "warning", detail: expect.stringContaining("not known until") }]);
  });

  test("that does not exist is refused at its id", async () => {
    const emulator = await account();
    const run = await startRun(emulator);
    const { kept, said } = await run.apply(type, { id: "00000000-0000-4000-8000-000000000000", name: "A" });
    expect([kept, said]).toMatchObject([null, [{ severity: "error", path: ["id"] }]]);
  });
});

describe("data sources", () => {
  test("read one avatar or context by its id or its exact name", async () => {
    const emulator = await account({ world: sampleDataset(Date.now()) });
    const run = await startRun(emulator);
    const [avatar] = emulator.world.avatars;
    const [context] = emulator.world.contexts;
    const byName = await run.read("avatarops_avatar", { name: avatar?.name ?? "" });
    const byId = await run.read("avatarops_context", { id: context?.id ?? "" });
    expect([byName.values?.id, byId.values?.prompt]).toEqual([avatar?.id, context?.prompt]);
    const none = await run.read("avatarops_context", { name: "support" });
    expect(none).toMatchObject({ values: null, said: [{ severity: "error", path: ["name"] }] });
  });

  test("list all in an order that stays, and what this run has just made", async () => {
    const emulator = await account({
      world: generateDataset({ contexts: 3 }),
      behaviour: { listOrder: "shuffled" },
    });
    const run = await startRun(emulator);
    await run.apply("avatarops_context", { name: "New", prompt: "x" });
    const { values } = await run.read("avatarops_contexts", {});
    const ids = emulator.world.contexts.map(({ id }) => id).toSorted();
    expect(values?.contexts).toMatchObject(ids.map((id) => ({ id, name: expect.any(String) })));
    expect(ids).toHaveLength(4);
  });

  test("refuse a name that several have, with the ids to choose from", async () => {
    const emulator = await account({ behaviour: { contextNames: "free" } });
    for (const prompt of ["A", "B"]) emulator.addContext({ name: "Twin", prompt });
    const { said } = await (await startRun(emulator)).read("avatarops_context", { name: "Twin" });
    for (const { id } of emulator.world.contexts) expect(said[0]?.detail).toContain(id);
  });
});

describe("the action that checks sessions", () => {
  const type = "avatarops_smoke";

  test("asks for a sandbox token with what is set and extra, and no message repeats that", async () => {
    const emulator = await account({ world: sampleDataset(Date.now()) });
    const avatar_id = emulator.world.avatars[0]?.id ?? "";
    const run = await startRun(emulator);
    const avatar_persona = {
      context_id: emulator.world.contexts[0]?.id ?? "",
      voice_id: null,
      language: "en",
    };
    const extra = { livekit_config: { client_token: "the-room-token", none: null } };
    await run.invoke(type, { avatar_id, mode: "FULL", avatar_persona, extra, timeout: 0 });
    const request = () => emulator.requests.findLast(({ path }) => path === "/v1/sessions/token")?.body;
    expect(request()).toEqual({
      avatar_id,
      mode: "FULL",
      is_sandbox: true,
      avatar_persona: { context_id: avatar_persona.context_id, language: "en" },
      ...extra,
    });
    const body = { code: 4000, data: null, message: "no room for the-room-token" };
    emulator.addFault({ match: { path: "/v1/sessions/token" }, do: { kind: "status", status: 400, body } });
    const { said } = await run.invoke(type, { avatar_id, mode: "FULL", extra, timeout: 0 });
    expect(said).toMatchObject([{ severity: "error", detail: expect.stringContaining("is withheld") }]);
    expect(JSON.stringify(said)).not.toContain("the-room-token");
  });

  test.each([
    [{ mode: "FULL" }, "mode is an attribute of its own"],
    [["a"], "extra is not an object"],
    [{ n: 12345678901234567890n }, "A number in extra cannot be held exactly by JSON"],
  ])("refuses what extra cannot be: %o", (extra, summary) => {
    const { actions } = createProvider({ version: "0.0.0", environment: {} });
    const found = actions[type]?.attributes.extra?.validate?.(extra as never);
    expect(found).toMatchObject([{ summary }]);
  });

  test("uses the provider's sandbox avatar, and needs one", async () => {
    const emulator = await account({ world: sampleDataset(Date.now()) });
    const config = { mode: "FULL", timeout: 0 };
    const none = await (await startRun(emulator)).invoke(type, config);
    expect(none.said).toMatchObject([{ severity: "error", path: ["avatar_id"] }]);
    const wrong = await (await startRun(emulator)).invoke(type, {
      ...{ ...config, avatar_id: "00000000-0000-4000-8000-000000000000" },
      avatar_persona: { voice_id: emulator.world.voices[0]?.id ?? "", context_id: null, language: "en" },
    });
    expect(wrong.said).toMatchObject([{ detail: expect.stringContaining("set sandbox_avatar of the") }]);
    const sandbox_avatar = emulator.world.avatars[0]?.id ?? "";
    await (await startRun(emulator, { sandbox_avatar })).invoke(type, config);
    expect(emulator.requests.findLast(({ path }) => path === "/v1/sessions/token")?.body).toEqual({
      avatar_id: sandbox_avatar,
      is_sandbox: true,
      mode: "FULL",
    });
  });
});

describe("a provider block", () => {
  test("that lacks address and key names both attributes and both variables", async () => {
    const emulator = await account();
    const { said } = await startRun(emulator, {}, { environment: {} });
    expect(said.map(({ path, detail }) => [path, /AVATAROPS_\w+/.exec(detail ?? "")?.[0]])).toEqual([
      [["base_url"], "AVATAROPS_BASE_URL"],
      [["api_key"], "AVATAROPS_API_KEY"],
    ]);
  });

  test("with a wrong key is told so, without the key", async () => {
    const emulator = await account({ world: generateDataset({ contexts: 1 }) });
    const run = await startRun(emulator, { api_key: "sk-wrong" });
    const { said } = await run.read("avatarops_contexts", {});
    expect(said).toMatchObject([{ severity: "error", summary: "The service does not accept the API key" }]);
    expect(JSON.stringify(said)).not.toContain("sk-wrong");
  });
});
