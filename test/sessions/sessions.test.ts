import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { openSource } from "../../src/base/diagnostics/index.js";
import { openService } from "../../src/core/api/index.js";
import type { Preset } from "../../src/core/manifest/index.js";
import { generateDataset, sandboxAvatarId } from "../../src/emulator/index.js";
import { mintToken } from "../../src/sessions/reports/index.js";
import { exactSum } from "../../src/sessions/reports/sum.js";
import { startEmulator } from "../documented-emulator.js";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const avatarId = "10000000-0000-4000-8000-000000000000";
const voiceId = "20000000-0000-4000-8000-000000000000";

async function open() {
  const world = generateDataset({ avatars: 1, voices: 1, contexts: 1, sessions: 0 });
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
