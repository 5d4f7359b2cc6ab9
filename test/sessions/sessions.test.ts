import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterEach, expect, test } from "vitest";
import { openSource } from "../../src/base/diagnostics/index.js";
import { openService } from "../../src/core/api/index.js";
import type { Preset } from "../../src/core/manifest/index.js";
import { generateDataset, sandboxAvatarId } from "../../src/emulator/index.js";
import { mintToken, reportSessions, TokenError } from "../../src/sessions/reports/index.js";
import { exactSum } from "../../src/sessions/reports/sum.js";
import { startEmulator } from "../documented-emulator.js";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const avatarId = "10000000-0000-4000-8000-000000000000";
const voiceId = "20000000-0000-4000-8000-000000000000";

async function open(sessions = 0, edit: (world: ReturnType<typeof generateDataset>) => void = () => {}) {
  const world = generateDataset({ avatars: 1, voices: 1, contexts: 1, sessions });
  edit(world);
  const emulator = await startEmulator({ world });
  const service = openService({ baseUrl: emulator.url, apiKey: "test-key" });
  closers.push(async () => {
    await service.close();
    await emulator.close();
  });
  return { emulator, service };
}

function preset(changes: Partial<Preset> = {}): Preset {
  return {
    key: "kiosk",
    body: { mode: "FULL", avatar_persona: { language: "en" } },
    references: [
      { path: ["avatar_id"], address: "avatar.host" },
      { path: ["avatar_persona", "voice_id"], address: "voice.narrator" },
    ],
    range: { source: openSource("avatarops.yaml", ""), start: 0, end: 0 },
    ...changes,
  };
}

const idOf = (address: string) => ({ "avatar.host": avatarId, "voice.narrator": voiceId })[address];

test("a report holds the sessions of every page and totals without float noise, the sandbox apart", async () => {
  const { service } = await open(250, ({ sessions }) => {
    for (const [at, session] of sessions.entries()) {
      session.ended_at = session.created_at;
      session.duration = 2;
      session.credits_consumed = 0.1;
      session.is_sandbox = at < 10;
      session.mode = "HOLOGRAM";
    }
  });
  const report = await reportSessions(service, { type: "historic" });
  expect(report.sessions).toHaveLength(250);
  expect(new Set(report.sessions.map(({ id }) => id)).size).toBe(250);
  expect(report.sessions[0]).toMatchObject({ mode: "HOLOGRAM", duration: 2, credits_consumed: 0.1 });
  expect(report.totals).toEqual({
    all: {
      sessions: 250,
      duration: 500,
      sessions_without_duration: 0,
      credits_consumed: 25,
      sessions_without_credits: 0,
    },
    sandbox: {
      sessions: 10,
      duration: 20,
      sessions_without_duration: 0,
      credits_consumed: 1,
      sessions_without_credits: 0,
    },
  });
  expect(report.complete).toBe(true);
  expect((await reportSessions(service, { type: "active" })).sessions).toEqual([]);
});

/** A service that answers everything with the same data: for shapes that the emulator does not give. */
async function answering(data: unknown) {
  const bodies: unknown[] = [];
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join("");
    if (body !== "") bodies.push(JSON.parse(body));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ code: 100, message: "ok", data }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const service = openService({ baseUrl: `http://127.0.0.1:${port}`, apiKey: "test-key" });
  closers.push(async () => {
    await service.close();
    await new Promise((closed) => server.close(closed));
  });
  return { service, bodies };
}

test("what a service does not state is absent and counted, not taken for nothing", async () => {
  const id = "40000000-0000-4000-8000-000000000000";
  const { service } = await answering({ count: 1, results: [{ id, credits_consumed: 2 }], next: null });
  const { sessions, totals } = await reportSessions(service, { type: "active" });
  expect(sessions).toEqual([{ id, credits_consumed: 2, is_sandbox: false }]);
  expect(totals.all).toEqual({
    sessions: 1,
    duration: 0,
    sessions_without_duration: 1,
    credits_consumed: 2,
    sessions_without_credits: 0,
  });
});

test.each([
  [[0.1, 0.2], 0.3],
  [[], 0],
  [[1e21, 1], 1e21],
  [[1e-7, 2e-7], 3e-7],
  [[-0.5, 0.25], -0.25],
  [[Number.NaN, 1], 1],
])("the exact sum of %j is %d", (numbers, sum) => {
  expect(exactSum(numbers)).toBe(sum);
});

test("a token is minted from a preset with its references resolved, and shows only when revealed", async () => {
  const { service } = await open();
  const token = await mintToken(service, preset(), idOf);
  const secret = token.reveal();
  expect(secret.length).toBeGreaterThan(8);
  expect(token).toMatchObject({ preset: "kiosk", sandbox: false, avatarId });
  expect(token.sessionId).toBeTypeOf("string");
  for (const shown of [
    String(token),
    JSON.stringify(token),
    inspect(token, { depth: 9, showHidden: true }),
  ]) {
    expect(shown).not.toContain(secret);
  }
});

test("sandbox mode takes the sandbox avatar, and does not need the preset's to exist", async () => {
  const { service } = await open();
  const only = preset({ references: [{ path: ["avatar_id"], address: "avatar.later" }], body: sandboxBody });
  const token = await mintToken(service, only, () => undefined, {
    sandbox: true,
    sandboxAvatar: sandboxAvatarId,
  });
  expect(token).toMatchObject({ sandbox: true, avatarId: sandboxAvatarId });
});

const sandboxBody = { mode: "FULL", avatar_persona: { language: "en", voice_id: voiceId } };

test.each([
  [
    "the preset says so",
    preset({ body: { ...sandboxBody, is_sandbox: true, avatar_id: avatarId }, references: [] }),
    {},
    true,
  ],
  [
    "asked not to",
    preset({ body: { ...sandboxBody, is_sandbox: true, avatar_id: avatarId }, references: [] }),
    { sandbox: false },
    undefined,
  ],
  [
    "asked to",
    preset({ body: { ...sandboxBody, avatar_id: avatarId }, references: [] }),
    { sandbox: true },
    true,
  ],
])("is_sandbox is sent as wanted: %s", async (_, value, options, sent) => {
  const { service, bodies } = await answering({ session_token: "t" });
  await mintToken(service, value, idOf, options);
  expect(bodies).toEqual([
    { ...sandboxBody, avatar_id: avatarId, ...(sent === undefined ? {} : { is_sandbox: sent }) },
  ]);
});

test("references without an id are named together, with what to do", async () => {
  const { service } = await open();
  await expect(mintToken(service, preset(), () => undefined)).rejects.toThrow(
    new TokenError(
      "unresolved-reference",
      "kiosk",
      "No id is known yet for avatar.host, voice.narrator, which sessions.kiosk refers to: run `avatarops apply` first.",
    ),
  );
});

test("a sandbox without any avatar is refused before anything is sent", async () => {
  const { service, emulator } = await open();
  const value = preset({ references: [] });
  await expect(mintToken(service, value, idOf, { sandbox: true })).rejects.toMatchObject({
    code: "no-avatar",
  });
  expect(emulator.requests).toEqual([]);
});

test.each([
  [{ session_id: "s", session_token: "secret-token" }],
  [{ token: "secret-token" }],
  [{ session: { sessionToken: "secret-token" } }],
  [{ session_token: "", data: { token: "secret-token" } }],
])("the token is found in answers of other shapes: %j", async (fields) => {
  const { service } = await answering(fields);
  expect((await mintToken(service, preset(), idOf)).reveal()).toBe("secret-token");
});

test("an error about a response without a token names its keys, not its values", async () => {
  const { service } = await answering({ jwt: "secret-value", room: "r" });
  await expect(mintToken(service, preset(), idOf)).rejects.toThrow(
    "The service accepted the request for sessions.kiosk, but its answer has no token: its keys are jwt, room.",
  );
});

test("a sum has as many numbers as there are sessions", () => {
  expect(exactSum(Array.from({ length: 300_000 }, () => 0.1))).toBe(30_000);
});

test.each([
  ["an escape sequence", "to\u001b[2Jken"],
  ["a line break", "token\nexport X=1"],
  ["a space", "to ken"],
  ["a character that is not ASCII", "tokén"],
  ["half a character", "token\ud800"],
])("a token with %s is refused and not shown", async (_, session_token) => {
  const { service } = await answering({ session_id: "s", session_token });
  const refused = await mintToken(service, preset(), idOf).catch((error: unknown) => error);
  expect(refused).toMatchObject({ name: "TokenError", code: "unusable-token" });
  expect(inspect(refused, { depth: 9, showHidden: true })).not.toContain(session_token.slice(2));
});
