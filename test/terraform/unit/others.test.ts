import { describe, expect, test } from "vitest";
import { createSampleDataset, generateDataset } from "../../../src/emulator/index.js";
import { type Kept, startAccount, startRun } from "./driving.js";

test("returns contexts from a data source sorted by id, including those created in the same run", async () => {
  const emulator = await startAccount({
    world: generateDataset({ contexts: 3 }),
    behavior: { listOrder: "shuffled" },
  });
  const run = await startRun(emulator);
  await run.apply("avatarops_context", { name: "New", prompt: "x" });
  const { values } = await run.read("avatarops_contexts", {});
  const ids = emulator.world.contexts.map(({ id }) => id).toSorted();
  expect(values?.contexts).toMatchObject(ids.map((id) => ({ id, name: expect.any(String) })));
  expect(ids).toHaveLength(4);
});

describe("avatarops_smoke", () => {
  const type = "avatarops_smoke";

  test("requests a sandbox token with the configured arguments, and never shows their values in messages", async () => {
    const emulator = await startAccount({ world: createSampleDataset(Date.now()) });
    const avatar_id = emulator.world.avatars[0]?.id ?? "";
    const run = await startRun(emulator);
    const avatar_persona = {
      context_id: emulator.world.contexts[0]?.id ?? "",
      voice_id: null,
      language: "en",
    };
    const livekit_config = { livekit_client_token: "the-room-token" };
    await run.invoke(type, { avatar_id, mode: "FULL", avatar_persona, livekit_config, timeout: 0 });
    const request = () => emulator.requests.findLast(({ path }) => path === "/v1/sessions/token")?.body;
    expect(request()).toEqual({
      avatar_id,
      mode: "FULL",
      is_sandbox: true,
      avatar_persona: { context_id: avatar_persona.context_id, language: "en" },
      livekit_config,
    });
    const body = { code: 4000, data: null, message: "no room for the-room-token" };
    emulator.addFault({ match: { path: "/v1/sessions/token" }, do: { kind: "status", status: 400, body } });
    const { diagnostics } = await run.invoke(type, { avatar_id, mode: "FULL", livekit_config, timeout: 0 });
    expect(diagnostics).toMatchObject([
      { severity: "error", detail: expect.stringContaining("is not shown") },
    ]);
    expect(JSON.stringify(diagnostics)).not.toContain("the-room-token");
  });

  test("uses the provider's sandbox avatar, and fails without one", async () => {
    const emulator = await startAccount({ world: createSampleDataset(Date.now()) });
    const config = { mode: "FULL", timeout: 0 };
    const none = await (await startRun(emulator)).invoke(type, config);
    expect(none.diagnostics).toMatchObject([{ severity: "error", path: ["avatar_id"] }]);
    const wrong = await (await startRun(emulator)).invoke(type, {
      ...{ ...config, avatar_id: "00000000-0000-4000-8000-000000000000" },
      avatar_persona: { voice_id: emulator.world.voices[0]?.id ?? "", context_id: null, language: "en" },
    });
    expect(wrong.diagnostics).toMatchObject([
      { detail: expect.stringContaining("sandbox_avatar in the provider block") },
    ]);
    const sandbox_avatar = emulator.world.avatars[0]?.id ?? "";
    await (await startRun(emulator, { sandbox_avatar })).invoke(type, config);
    expect(emulator.requests.findLast(({ path }) => path === "/v1/sessions/token")?.body).toEqual({
      avatar_id: sandbox_avatar,
      is_sandbox: true,
      mode: "FULL",
    });
  });
});

test("prints creation times and names from the service as plain lines", async () => {
  const world = generateDataset({ contexts: 2 });
  for (const context of world.contexts) {
    context.created_at = '2026-01-01\u001b[31m\n  }\n  import {\n    id = "other"';
    context.name = "Desk\u202e";
  }
  const emulator = await startAccount({ world });
  const run = await startRun(emulator);
  const taken = await run.plan("avatarops_context", { name: "Desk\u202e", prompt: "x" });
  const several = await run.read("avatarops_context", { name: "Desk\u202e" });
  const [plan = "", read] = [taken, several].map(({ diagnostics }) => diagnostics[0]?.detail);
  expect(plan).toContain('# created 2026-01-01 [31m } import { id = "other"');
  expect(read).toContain('created 2026-01-01 [31m } import { id = "other"');
  expect(plan.match(/^ *import {$/gm)).toHaveLength(2);
  const listed = await run.stream("ListResource", { typeName: "avatarops_context", limit: 100 });
  expect(listed.map(({ displayName }) => displayName)).toEqual(["Desk", "Desk"]);
});

test("recognizes a name that the account stores in decomposed Unicode", async () => {
  const world = generateDataset({ contexts: 1 });
  for (const context of world.contexts) context.name = "Cafe\u0301 desk";
  const emulator = await startAccount({ world });
  const run = await startRun(emulator);
  const { diagnostics } = await run.apply("avatarops_context", { name: "Caf\u00e9 desk", prompt: "x" });
  const taken = 'The account already has a context named "Caf\u00e9 desk"';
  expect(diagnostics).toMatchObject([
    { severity: "warning", summary: taken },
    { severity: "error", summary: taken },
  ]);
  expect(emulator.world.contexts).toHaveLength(1);
});

test("clears an avatar's default voice in the state if the account no longer has one", async () => {
  const emulator = await startAccount({
    world: generateDataset({ avatars: 1, voices: 1 }),
    behavior: { nulls: true },
  });
  const [avatar] = emulator.world.avatars;
  const config = { id: avatar?.id ?? "", name: "Host" };
  const { kept } = await (await startRun(emulator)).apply("avatarops_avatar", config);
  expect(kept?.state.default_voice).toMatchObject({ name: "Voice 1" });
  if (avatar)
    Object.assign(avatar, { default_voice: null, updated_at: new Date(Date.now() + 5_000).toISOString() });
  const read = await (await startRun(emulator)).refresh("avatarops_avatar", kept as Kept);
  expect(read.kept?.state.default_voice).toBeNull();
});
