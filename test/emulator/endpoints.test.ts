import fc from "fast-check";
import { expect, test } from "vitest";
import { generateDataset, sandboxAvatarId } from "../../src/emulator/index.js";
import { emulatorFor, id, refusal, startTime, success } from "./asking.js";

const small = () => generateDataset({ avatars: 2, voices: 1, contexts: 2, sessions: 0 });
const avatar1 = "10000000-0000-4000-8000-000000000000";
const voice1 = "20000000-0000-4000-8000-000000000000";
const context1 = "30000000-0000-4000-8000-000000000000";
const context2 = "30000000-0000-4000-8000-000000000001";
const nowhere = "00000000-0000-4000-8000-000000000000";
const created = "2025-01-01T00:00:00.000Z";

const shownAvatar = {
  id: avatar1,
  name: "Avatar 1",
  created_at: created,
  updated_at: created,
  error_message: "",
  space_id: "",
  status: "ACTIVE",
  preview_url: "",
  is_expired: false,
  default_voice: { id: voice1, name: "Voice 1" },
};

const shownVoice = {
  id: voice1,
  name: "Voice 1",
  language: "en",
  gender: "female",
  created_at: created,
  updated_at: created,
  tags: [],
  description: "",
};

const listedContext = { id: context1, name: "Context 1", created_at: created, updated_at: created };
const shownContext = { ...listedContext, prompt: "Prompt 1", opening_text: "", links: [] };
const made = { id: id(1), created_at: startTime, updated_at: startTime };
const bare = { prompt: "", opening_text: "", links: [] };
const token = { mode: "FULL", avatar_id: avatar1 };
const persona = { voice_id: voice1, language: "en" };
const secret = { secret_name: "llm", secret_value: "sk-1", secret_type: "LLMPROVIDER_API_KEY" };
const sandbox = { mode: "FULL", is_sandbox: true, avatar_id: sandboxAvatarId, avatar_persona: persona };
const tokenGiven = success({ session_id: id(1), session_token: `session-token-${id(2)}` });

type Row = [what: string, request: [method: string, path: string, body?: unknown], answer: unknown];

const rows: Row[] = [
  ["reads an avatar", ["GET", `/v1/avatars/${avatar1}`], success(shownAvatar)],
  ["reads an encoded id", ["GET", `/v1/avatars/%31${avatar1.slice(1)}`], success(shownAvatar)],
  ["knows no id that is encoded wrongly", ["GET", "/v1/avatars/%E0%A4%A"], refusal(404, "Page not found")],
  [
    "takes a query with a second question mark",
    ["GET", "/v1/avatars?x=?&page_size=1"],
    success(expect.objectContaining({ results: [shownAvatar] })),
  ],
  ["knows no avatar of another id", ["GET", `/v1/avatars/${nowhere}`], refusal(404, "Avatar not found")],
  [
    "lists avatars in pages",
    ["GET", "/v1/avatars?page_size=1"],
    success({
      count: 2,
      results: [shownAvatar],
      next: expect.stringMatching(/^http:.*\/v1\/avatars\?page_size=1&page=2$/),
      previous: "",
    }),
  ],
  [
    "renames an avatar",
    ["PATCH", `/v1/avatars/${avatar1}`, { name: "Front desk" }],
    success({ ...shownAvatar, name: "Front desk", updated_at: startTime }),
  ],
  [
    "bumps updated_at also when the name stays",
    ["PATCH", `/v1/avatars/${avatar1}`, { name: "Avatar 1" }],
    success({ ...shownAvatar, updated_at: startTime }),
  ],
  [
    "wants a name for an avatar",
    ["PATCH", `/v1/avatars/${avatar1}`, {}],
    refusal(400, "body.name: is missing"),
  ],
  [
    "wants the avatar's name to be text",
    ["PATCH", `/v1/avatars/${avatar1}`, { name: 7 }],
    refusal(400, "body.name: must be a string"),
  ],

  [
    "renames a voice",
    ["PATCH", `/v1/voices/${voice1}`, { name: "Narrator" }],
    success({ ...shownVoice, name: "Narrator", updated_at: startTime }),
  ],
  [
    "refuses an empty voice name",
    ["PATCH", `/v1/voices/${voice1}`, { name: "" }],
    refusal(400, "body.name: must have 1 to 64 characters"),
  ],
  [
    "refuses a voice name of 65 characters",
    ["PATCH", `/v1/voices/${voice1}`, { name: "v".repeat(65) }],
    refusal(400, "body.name: must have 1 to 64 characters"),
  ],
  [
    "knows no voice of another id",
    ["PATCH", `/v1/voices/${nowhere}`, { name: "x" }],
    refusal(404, "Voice not found"),
  ],
  ["has no list of voices", ["GET", "/v1/voices"], refusal(404, "Page not found")],
  ["cannot read a voice", ["GET", `/v1/voices/${voice1}`], refusal(405, "Method not allowed")],

  [
    "creates a context from its name alone",
    ["POST", "/v1/contexts", { name: "New" }],
    success({ ...made, ...bare, name: "New" }),
  ],
  [
    "creates a context and gives its links ids of its own",
    [
      "POST",
      "/v1/contexts",
      {
        name: "New",
        prompt: "p ${x}",
        opening_text: "o",
        links: [{ url: "https://a.example", faq: "A", id: nowhere }],
      },
    ],
    success({
      ...made,
      name: "New",
      prompt: "p ${x}",
      opening_text: "o",
      links: [{ id: id(2), url: "https://a.example", faq: "A" }],
    }),
  ],
  [
    "drops unknown fields of a request in silence",
    ["POST", "/v1/contexts", { name: "New", promt: "typo" }],
    success({ ...made, ...bare, name: "New" }),
  ],
  [
    "takes null for a field that was not sent",
    ["POST", "/v1/contexts", { name: "New", opening_text: null, links: null }],
    success({ ...made, ...bare, name: "New" }),
  ],
  [
    "names each wrong field of a context",
    ["POST", "/v1/contexts", { prompt: 1, links: [{ faq: "A" }, { url: "https://b.example", id: "b" }] }],
    refusal(
      400,
      "body.name: is missing; body.prompt: must be a string; body.links.0.url: is missing; body.links.1.id: must be a UUID",
    ),
  ],
  [
    "refuses a context name that is taken",
    ["POST", "/v1/contexts", { name: "Context 1" }],
    refusal(400, "Context with this name already exists"),
  ],
  ["reads a context", ["GET", `/v1/contexts/${context1}`], success(shownContext)],
  ["knows no context of another id", ["GET", `/v1/contexts/${nowhere}`], refusal(404, "Context not found")],
  [
    "wants a UUID for a context's id",
    ["GET", "/v1/contexts/support"],
    refusal(400, "path.context_id: must be a UUID"),
  ],
  [
    "lists contexts without their prompts",
    ["GET", "/v1/contexts?page=2&page_size=1"],
    success({
      count: 2,
      results: [
        {
          ...listedContext,
          id: context2,
          name: "Context 2",
          created_at: "2025-01-01T00:00:01.000Z",
          updated_at: "2025-01-01T00:00:01.000Z",
        },
      ],
      next: "",
      previous: expect.stringMatching(/\?page=1&page_size=1$/),
    }),
  ],
  [
    "shows an empty page beyond the end",
    ["GET", "/v1/contexts?page=9"],
    success({ count: 2, results: [], next: "", previous: expect.stringMatching(/\?page=8$/) }),
  ],
  [
    "changes the fields sent and leaves the others",
    ["PATCH", `/v1/contexts/${context1}`, { opening_text: "Hi" }],
    success({ ...shownContext, opening_text: "Hi", updated_at: startTime }),
  ],
  [
    "lets a context keep its own name",
    ["PATCH", `/v1/contexts/${context1}`, { name: "Context 1" }],
    success({ ...shownContext, updated_at: startTime }),
  ],
  [
    "refuses the name of another context",
    ["PATCH", `/v1/contexts/${context1}`, { name: "Context 2" }],
    refusal(400, "Context with this name already exists"),
  ],
  ["deletes no context", ["DELETE", `/v1/contexts/${context1}`], refusal(405, "Method not allowed")],

  [
    "stores a secret and does not show its value",
    ["POST", "/v1/secrets", secret],
    success({ id: id(1), secret_name: "llm" }),
  ],
  [
    "holds a secret to its limits",
    ["POST", "/v1/secrets", { secret_name: "s".repeat(256), secret_value: "", secret_type: "PASSWORD" }],
    refusal(
      400,
      "body.secret_name: must have 1 to 255 characters; body.secret_value: must have at least 1 characters; body.secret_type: must be one of: LLMPROVIDER_API_KEY, VOICEPROVIDER_API_KEY",
    ),
  ],
  [
    "wants every field of a secret",
    ["POST", "/v1/secrets", {}],
    refusal(400, "body.secret_name: is missing; body.secret_value: is missing; body.secret_type: is missing"),
  ],
  ["lists no secrets", ["GET", "/v1/secrets"], refusal(405, "Method not allowed")],

  ["gives a token for an avatar of the account", ["POST", "/v1/sessions/token", token], tokenGiven],
  ["gives a sandbox token for the sandbox avatar", ["POST", "/v1/sessions/token", sandbox], tokenGiven],
  [
    "accepts the whole of a token request",
    [
      "POST",
      "/v1/sessions/token",
      {
        ...token,
        avatar_persona: {
          ...persona,
          context_id: context1,
          voice_settings: { speed: 1.2, use_speaker_boost: true },
          stt_config: { provider: "x" },
        },
        video_settings: { quality: "high", encoding: "H264" },
        max_session_duration: 60,
        interactivity_type: "CONVERSATIONAL",
        llm_configuration_id: nowhere,
      },
    ],
    tokenGiven,
  ],
  [
    "refuses another avatar in the sandbox",
    ["POST", "/v1/sessions/token", { ...sandbox, avatar_id: avatar1 }],
    refusal(400, "This avatar is not available in sandbox mode"),
  ],
  [
    "refuses the sandbox avatar in production",
    ["POST", "/v1/sessions/token", { ...sandbox, is_sandbox: false }],
    refusal(400, "This avatar is only available in sandbox mode"),
  ],
  [
    "wants voice and language in the sandbox",
    ["POST", "/v1/sessions/token", { ...sandbox, avatar_persona: {} }],
    refusal(400, "body.avatar_persona.voice_id: is missing; body.avatar_persona.language: is missing"),
  ],
  [
    "gives no token for an unknown avatar",
    ["POST", "/v1/sessions/token", { ...token, avatar_id: nowhere }],
    refusal(404, "Avatar not found"),
  ],
  [
    "gives no token for an unknown context",
    ["POST", "/v1/sessions/token", { ...token, avatar_persona: { context_id: nowhere } }],
    refusal(404, "Context not found"),
  ],
  ["lists no sessions without a type", ["GET", "/v1/sessions"], refusal(400, "query.type: is missing")],
  [
    "lists no sessions of an unknown type",
    ["GET", "/v1/sessions?type=all"],
    refusal(400, "query.type: must be one of: active, historic"),
  ],
  [
    "lists sessions of an account that had none",
    ["GET", "/v1/sessions?type=historic"],
    success({ count: 0, results: [], next: "", previous: "" }),
  ],

  ...["avatars", "contexts", "sessions"].flatMap((list): Row[] =>
    [
      ["page=0", "query.page: must be an integer of at least 1"],
      ["page=x", "query.page: must be an integer of at least 1"],
      ["page_size=0", "query.page_size: must be an integer from 1 to 100"],
      ["page_size=101", "query.page_size: must be an integer from 1 to 100"],
    ].map(
      ([query, message = ""]): Row => [
        `refuses ${query} for ${list}`,
        ["GET", `/v1/${list}?type=active&${query}`],
        refusal(400, message),
      ],
    ),
  ),
  ["knows no other path", ["GET", "/v1/rooms"], refusal(404, "Page not found")],
  ["knows no path with a slash at its end", ["GET", "/v1/contexts/"], refusal(404, "Page not found")],
  [
    "refuses a body that is not JSON",
    ["POST", "/v1/contexts", "{name"],
    refusal(400, "body: is not valid JSON"),
  ],
  [
    "refuses a body that is not an object",
    ["POST", "/v1/contexts", "[]"],
    refusal(400, "body: must be an object"),
  ],
  ["refuses a request without a body", ["POST", "/v1/contexts"], refusal(400, "body: is not valid JSON")],
];

test.each(rows)("%s", async (_, request, answer) => {
  await using service = await emulatorFor({ world: small() });
  expect(await service.ask(...request)).toEqual(answer);
});

test("refused requests change nothing", async () => {
  await using service = await emulatorFor({ world: small() });
  for (const [, request, answer] of rows) {
    if ((answer as { status: number }).status !== 200) await service.ask(...request);
  }
  expect(service.emulator.world).toEqual(small());
});

test("a link id sent back is kept, an unknown or missing one is replaced", async () => {
  await using service = await emulatorFor();
  const a = { url: "https://a.example", faq: "A" };
  const b = { url: "https://b.example", faq: "B" };
  await service.ask("POST", "/v1/contexts", { name: "c", links: [a, b] });
  const links = [{ ...b, id: id(3) }, a, { ...a, id: nowhere }, { ...b, id: id(3) }];
  await service.ask("PATCH", `/v1/contexts/${id(1)}`, { links });
  expect(service.emulator.world.contexts[0]?.links).toEqual([
    { ...b, id: id(3) },
    { ...a, id: id(4) },
    { ...a, id: id(5) },
    { ...b, id: id(6) },
  ]);
});

test("renaming an avatar stores its name and the time of the change, and nothing else", async () => {
  await using service = await emulatorFor({ world: small() });
  await service.ask("PATCH", `/v1/avatars/${avatar1}`, { name: "Front desk", status: "INIT" });
  const [avatar, ...others] = small().avatars;
  expect(service.emulator.world.avatars).toEqual([
    { ...avatar, name: "Front desk", updated_at: startTime },
    ...others,
  ]);
});

test("a renamed voice shows its name in the avatars that speak with it", async () => {
  await using service = await emulatorFor({ world: small() });
  await service.ask("PATCH", `/v1/voices/${voice1}`, { name: "Narrator" });
  expect(await service.ask("GET", `/v1/avatars/${avatar1}`)).toEqual(
    success({ ...shownAvatar, default_voice: { id: voice1, name: "Narrator" } }),
  );
});

test("two secrets may have the same name, and each keeps its own value in memory", async () => {
  await using service = await emulatorFor();
  await service.ask("POST", "/v1/secrets", secret);
  await service.ask("POST", "/v1/secrets", { ...secret, secret_value: "sk-2" });
  const stored = { secret_name: "llm", secret_type: "LLMPROVIDER_API_KEY", created_at: startTime };
  expect(service.emulator.world.secrets).toEqual([
    { ...stored, id: id(1) },
    { ...stored, id: id(2) },
  ]);
  expect([id(1), id(2), id(3)].map(service.emulator.secretValue)).toEqual(["sk-1", "sk-2", undefined]);
});

test("no JSON body makes the service fail", async () => {
  await using service = await emulatorFor({ world: small() });
  const bodies = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        name: fc.jsonValue(),
        prompt: fc.jsonValue(),
        links: fc.jsonValue(),
        avatar_id: fc.constant(avatar1),
        mode: fc.constant("FULL"),
        avatar_persona: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  );
  const paths = ["/v1/contexts", "/v1/secrets", "/v1/sessions/token"];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), bodies, async (path, body) => {
      expect([200, 400]).toContain((await service.ask("POST", path, JSON.stringify(body))).status);
    }),
  );
});
