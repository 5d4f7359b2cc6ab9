/** Reads requests for session tokens. */
import * as z from "zod";
import { type AccountData, createRowGetter, type Row } from "./account.js";
import { type EndpointCall, readBody } from "./endpoint.js";
import { createNotFound, Refusal } from "./refusal.js";
import { sandboxAvatarId } from "./sample-ids.js";
import { assertSecretExists } from "./secrets.js";
import { integer, text, uuid } from "./shape.js";
import { publicContextIds, sandboxAvatars, stockAvatars } from "./stock.js";

const avatars = createRowGetter<Row>("avatars");
const contexts = createRowGetter<Row>("contexts");
const llmConfigurations = createRowGetter<Row>("llmConfigurations");

/** Returns the default avatar for sessions added without one. */
export function findAvatarId(world: AccountData): string | undefined {
  return avatars(world)[0]?.id;
}

const persona = z
  .object({
    voice_id: uuid,
    context_id: uuid,
    language: text(),
    voice_settings: z
      .object({
        provider: text(),
        speed: z.number(),
        stability: z.number(),
        similarity_boost: z.number(),
        style: z.number(),
        use_speaker_boost: z.boolean(),
        model: text(),
      })
      .partial(),
    stt_config: z.object({ provider: text() }).partial(),
  })
  .partial();

/** Creates the request schema. `known` creates the schema of a field from its known values. */
function createRequestForm(known: (...values: string[]) => z.ZodType<string>) {
  return z.object({
    avatar_id: uuid,
    // Assumption: mode and avatar_id are also required outside the sandbox (§4.5 has only a sandbox example).
    mode: text({ min: 1 }),
    is_sandbox: z.boolean().exactOptional(),
    max_session_duration: integer(1).exactOptional(),
    video_settings: z
      .object({ quality: known("very_high", "high", "medium", "low"), encoding: known("VP8", "H264") })
      .partial()
      .exactOptional(),
    avatar_persona: persona.exactOptional(),
    interactivity_type: known("CONVERSATIONAL", "PUSH_TO_TALK").exactOptional(),
    llm_configuration_id: uuid.exactOptional(),
  });
}

const documented = createRequestForm(() => text());

/** Request schema in deployments with a profile. */
const offered = createRequestForm((...values) => z.enum(values));

const languageModel = z.object({
  provider: z.enum(["openai"]),
  model: z.enum(["gpt-4o", "gpt-4o-mini", "gpt-5-nano", "gpt-5.4-nano"]),
});

const fullToken = offered
  .extend({
    mode: z.literal("FULL").default("FULL"),
    avatar_persona: persona.extend({ llm_settings: languageModel.exactOptional() }).exactOptional(),
    voice_agent: z.looseObject({}).exactOptional(),
    dynamic_variables: z.record(z.string(), z.string()).exactOptional(),
    memory: z.object({ prev_session_id: text(), session_memory_id: text() }).partial().exactOptional(),
  })
  .refine(
    ({ avatar_persona, voice_agent }) => (avatar_persona === undefined) !== (voice_agent === undefined),
    "Provide exactly one of avatar_persona and voice_agent",
  );

/** Settings of other vendors for a LITE session. A request can use only one of them. */
const hosts = z
  .object({
    livekit_config: z.object({ livekit_url: text(), livekit_room: text(), livekit_client_token: text() }),
    agora_config: z.record(z.enum(["agora_app_id", "agora_token", "agora_channel", "agora_uid"]), text()),
    elevenlabs_agent_config: z.object({ secret_id: text(), agent_id: text() }),
    openai_realtime_config: z.object({ secret_id: text(), context_id: uuid.exactOptional() }),
    gemini_realtime_config: z.object({ secret_id: text(), context_id: uuid.exactOptional() }),
  })
  .exactPartial();
const hostNames = Object.keys(hosts.shape);
const liteToken = offered
  .omit({ avatar_persona: true, interactivity_type: true, llm_configuration_id: true })
  .extend({ mode: z.literal("LITE"), ...hosts.shape })
  .refine(
    (request) => hostNames.filter((name) => name in request).length < 2,
    `Provide at most one of ${hostNames.join(", ")}`,
  );

/** Token request fields that the emulator uses. */
export type ReceivedTokenRequest = z.infer<typeof documented> &
  Pick<z.infer<typeof hosts>, "livekit_config"> & { dynamic_variables?: Readonly<Record<string, string>> };

/** Reads a token request and checks the objects that it refers to. Throws a Refusal. */
export function readTokenRequest(call: EndpointCall): ReceivedTokenRequest {
  const request = call.profile ? readOffered(call) : readDocumented(call);
  checkAvatar(call, request);
  checkContext(call, request.avatar_persona?.context_id);
  return request;
}

// Assumption: in the sandbox, only mode FULL requires a persona (§4.5 has only an example in this mode).
function readDocumented(call: EndpointCall): ReceivedTokenRequest {
  const request = readBody(call, documented);
  const needsPersona = request.is_sandbox && request.mode === "FULL";
  if (!needsPersona || call.behavior.sandboxPersona !== "required") return request;
  const whole = persona.required({ voice_id: true, language: true });
  return readBody(call, documented.extend({ avatar_persona: whole }));
}

function readOffered(call: EndpointCall): ReceivedTokenRequest {
  const { mode } = readBody(call, z.object({ mode: z.enum(["FULL", "LITE"]).default("FULL") }));
  if (mode === "LITE") return readLite(call);
  const request = readBody(call, fullToken);
  const { llm_configuration_id: llmId } = request;
  // Assumption: an unknown id gets the same error as an unknown context.
  if (llmId !== undefined && !llmConfigurations(call.account.world).some(({ id }) => id === llmId))
    throw createNotFound("LLM configuration");
  return request;
}

function readLite(call: EndpointCall): ReceivedTokenRequest {
  const request = readBody(call, liteToken);
  const realtime = request.openai_realtime_config ?? request.gemini_realtime_config;
  const agent = realtime ?? request.elevenlabs_agent_config;
  if (agent) assertSecretExists(call, agent.secret_id);
  return realtime?.context_id ? { ...request, avatar_persona: { context_id: realtime.context_id } } : request;
}

function checkAvatar(
  { account, profile }: EndpointCall,
  { avatar_id, is_sandbox }: ReceivedTokenRequest,
): void {
  const has = (rows: readonly Row[]) => rows.some(({ id }) => id === avatar_id);
  const isForSandbox = profile ? has(sandboxAvatars) : avatar_id === sandboxAvatarId;
  if (is_sandbox && !isForSandbox) throw new Refusal(400, "This avatar is not available in sandbox mode");
  if (is_sandbox || (profile && has(stockAvatars))) return;
  if (isForSandbox) throw new Refusal(400, "This avatar is only available in sandbox mode");
  if (!has(avatars(account.world))) throw createNotFound("Avatar");
}

// Does not check voices, because an account may use shared voices that it does not own.
function checkContext({ account, profile }: EndpointCall, contextId: string | undefined): void {
  if (contextId === undefined || contexts(account.world).some(({ id }) => id === contextId)) return;
  if (profile === undefined || !publicContextIds.includes(contextId)) throw createNotFound("Context");
}
