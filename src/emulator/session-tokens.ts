/** What a session token is requested with. */
import * as z from "zod";
import { type AccountData, type Row, rowsNamed } from "./account.js";
import { type Call, readBody } from "./endpoint.js";
import { invalid, notFound, Refusal } from "./refusal.js";
import { sandboxAvatarId } from "./sample-ids.js";
import { refuseUnknownSecret } from "./secrets.js";
import { integer, text, uuid } from "./shape.js";
import { publicContextIds, sandboxAvatars, stockAvatars } from "./stock.js";

const avatars = rowsNamed<Row>("avatars");
const contexts = rowsNamed<Row>("contexts");
const llmConfigurations = rowsNamed<Row>("llmConfigurations");

/** An avatar for sessions that need one. */
export function anyAvatarId(world: AccountData): string | undefined {
  return avatars(world)[0]?.id;
}

const voiceSettings = z
  .object({
    provider: text(),
    speed: z.number(),
    stability: z.number(),
    similarity_boost: z.number(),
    style: z.number(),
    use_speaker_boost: z.boolean(),
    model: text(),
  })
  .partial();

const persona = z
  .object({
    voice_id: uuid,
    context_id: uuid,
    language: text(),
    voice_settings: voiceSettings,
    stt_config: z.object({ provider: text() }).partial(),
  })
  .partial();

const documented = z
  .object({
    avatar_id: uuid,
    avatar_persona: persona,
    mode: text({ min: 1 }),
    is_sandbox: z.boolean(),
    video_settings: z.object({ quality: text(), encoding: text() }).partial(),
    max_session_duration: integer(1),
    interactivity_type: text(),
    llm_configuration_id: uuid,
  })
  .partial();

// Assumed: outside the sandbox, mode and avatar_id are required as well (§4.5 shows it for the sandbox only).
const productionToken = documented.required({ mode: true, avatar_id: true });
const sandboxToken = documented
  .extend({ avatar_persona: persona.required({ voice_id: true, language: true }) })
  .required({ mode: true, is_sandbox: true, avatar_id: true });

/** In deployments of a profile: what both modes have. */
const common = z.object({
  avatar_id: uuid,
  is_sandbox: z.boolean().default(false),
  max_session_duration: integer(1).exactOptional(),
  video_settings: z
    .object({ quality: z.enum(["very_high", "high", "medium", "low"]), encoding: z.enum(["VP8", "H264"]) })
    .partial()
    .exactOptional(),
});

const languageModel = z.object({
  provider: z.enum(["openai"]),
  model: z.enum(["gpt-4o", "gpt-4o-mini", "gpt-5-nano", "gpt-5.4-nano"]),
});

const fullToken = common.extend({
  mode: z.literal("FULL").default("FULL"),
  avatar_persona: persona.extend({ llm_settings: languageModel.exactOptional() }).exactOptional(),
  voice_agent: z.looseObject({}).exactOptional(),
  interactivity_type: z.enum(["CONVERSATIONAL", "PUSH_TO_TALK"]).exactOptional(),
  llm_configuration_id: text().exactOptional(),
  dynamic_variables: z.record(z.string(), z.string()).exactOptional(),
  memory: z.object({ prev_session_id: text(), session_memory_id: text() }).partial().exactOptional(),
});

/** Whose room or voice a LITE session uses: at most one of them. */
const hosts = {
  livekit_config: z.object({ livekit_url: text(), livekit_room: text(), livekit_client_token: text() }),
  agora_config: z.object({
    agora_app_id: text(),
    agora_token: text(),
    agora_channel: text(),
    agora_uid: text(),
  }),
  elevenlabs_agent_config: z.object({ secret_id: text(), agent_id: text() }),
  openai_realtime_config: z.object({ secret_id: text(), context_id: uuid.exactOptional() }),
  gemini_realtime_config: z.object({ secret_id: text(), context_id: uuid.exactOptional() }),
};
const liteToken = common.extend({ mode: z.literal("LITE"), ...z.object(hosts).exactPartial().shape });

/** What both forms of a request have. */
export interface TokenRequest {
  avatar_id: string;
  mode: string;
  is_sandbox?: boolean | undefined;
  max_session_duration?: number | undefined;
  avatar_persona?: { context_id?: string | undefined } | undefined;
  dynamic_variables?: Record<string, string>;
  livekit_config?: { livekit_url: string };
}

/** The request for a token, with what it refers to there. Throws a Refusal. */
export function readTokenRequest(call: Call): TokenRequest {
  const request = call.profile ? readOffered(call) : readDocumented(call);
  refuseWrongAvatar(call, request);
  refuseUnknownContext(call, request.avatar_persona?.context_id);
  return request;
}

// Assumed: only mode FULL needs a persona in the sandbox (§4.5 shows a request of that mode, and none of another).
function readDocumented(call: Call): TokenRequest {
  const { is_sandbox, mode } = readBody(call, documented.pick({ is_sandbox: true, mode: true }));
  const needsPersona = is_sandbox && mode === "FULL" && call.behaviour.sandboxPersona === "required";
  return readBody(call, needsPersona ? sandboxToken : productionToken);
}

function readOffered(call: Call): TokenRequest {
  const { mode } = readBody(call, z.object({ mode: z.enum(["FULL", "LITE"]).default("FULL") }));
  return mode === "FULL" ? readFull(call) : readLite(call);
}

function readFull(call: Call): TokenRequest {
  const request = readBody(call, fullToken);
  if ((request.avatar_persona === undefined) === (request.voice_agent === undefined))
    throw invalid([{ at: ["body"], message: "Provide exactly one of avatar_persona and voice_agent" }]);
  const { llm_configuration_id: llmId } = request;
  // Assumed: an id that is not the account's is refused like that of a context.
  if (llmId !== undefined && !llmConfigurations(call.account.world).some(({ id }) => id === llmId))
    throw notFound("LLM configuration");
  return request;
}

function readLite(call: Call): TokenRequest {
  const request = readBody(call, liteToken);
  const { elevenlabs_agent_config, openai_realtime_config, gemini_realtime_config } = request;
  const given = Object.keys(hosts).filter((name) => request[name as keyof typeof hosts] !== undefined);
  if (given.length > 1)
    throw invalid([{ at: ["body"], message: `Provide at most one of ${given.join(", ")}` }]);
  const realtime = openai_realtime_config ?? gemini_realtime_config;
  const agent = realtime ?? elevenlabs_agent_config;
  if (agent) refuseUnknownSecret(call, agent.secret_id);
  return realtime?.context_id ? { ...request, avatar_persona: { context_id: realtime.context_id } } : request;
}

function refuseWrongAvatar({ account, profile }: Call, { avatar_id, is_sandbox }: TokenRequest): void {
  const has = (rows: readonly Row[]) => rows.some(({ id }) => id === avatar_id);
  const isForSandbox = profile ? has(sandboxAvatars) : avatar_id === sandboxAvatarId;
  if (is_sandbox && !isForSandbox) throw new Refusal(400, "This avatar is not available in sandbox mode");
  if (is_sandbox || (profile && has(stockAvatars))) return;
  if (isForSandbox) throw new Refusal(400, "This avatar is only available in sandbox mode");
  if (!has(avatars(account.world))) throw notFound("Avatar");
}

// The voice is not checked: accounts may use shared voices that they do not own.
function refuseUnknownContext({ account, profile }: Call, contextId: string | undefined): void {
  if (contextId === undefined || contexts(account.world).some(({ id }) => id === contextId)) return;
  if (profile === undefined || !publicContextIds.includes(contextId)) throw notFound("Context");
}
