import {
  type Attributes,
  Decimal,
  definitionsFor,
  type Type,
  Unknown,
  type Value,
} from "@avatarops/terraform-plugin";
import type { TokenBody } from "../api/index.js";
import { isToken, keysOf, tokenIn } from "../sessions/index.js";
import type { Account } from "./account.js";
import { reachable } from "./data-sources.js";
import type { Values } from "./values.js";

const given = (type: Type, description: string) => ({ type, optional: true, description }) as const;
const text = (description: string) => given("string", description);
const number = (description: string) => given("number", description);

const persona = {
  voice_id: text("Id of the voice it speaks with."),
  context_id: text("Id of the context it knows. Without one, a FULL session stays silent."),
  language: text("Language code, such as `en`."),
  voice_settings: {
    nesting: "single",
    optional: true,
    description: "How the voice speaks.",
    attributes: {
      provider: text("Speech provider."),
      speed: number("Speed."),
      stability: number("Stability."),
      similarity_boost: number("Similarity boost."),
      style: number("Style."),
      use_speaker_boost: given("bool", "Whether to boost the speaker."),
      model: text("Speech model."),
    },
  },
  stt_config: {
    nesting: "single",
    optional: true,
    description: "How the visitor is understood.",
    attributes: { provider: text("Speech-to-text provider.") },
  },
} as const satisfies Attributes;

/** What is asked for: the body of a token request, spelled as the service spells it (§4.5). */
const asked = {
  avatar_id: text("Id of the avatar."),
  avatar_persona: {
    nesting: "single",
    optional: true,
    description: "Who the avatar is in this session.",
    attributes: persona,
  },
  mode: text("Mode; FULL is one value (§4.5)."),
  is_sandbox: given(
    "bool",
    "Sandbox sessions use no credits and end after about a minute (§8). They want `mode`, and `voice_id` and `language` in `avatar_persona` (§4.5). They use the provider's `sandbox_avatar` in place of `avatar_id`, where it is set.",
  ),
  video_settings: {
    nesting: "single",
    optional: true,
    description: "Video settings.",
    attributes: { quality: text("Quality."), encoding: text("Encoding.") },
  },
  max_session_duration: number("Longest duration; its unit is not documented (§4.5)."),
  interactivity_type: text("Interactivity; CONVERSATIONAL is one value (§4.5)."),
  llm_configuration_id: text("Id of a language-model configuration."),
} as const satisfies Attributes;

/** A token to start one session with. */
export const sessionToken = definitionsFor<Account>().ephemeralResource({
  description:
    "A token that starts one session. It is minted anew in every plan and every apply, and is never in a plan or a state: use it where values are not kept, such as write-only arguments and other providers.",
  attributes: {
    ...asked,
    session_id: {
      type: "string",
      computed: true,
      description: "Id of the session, where the service tells it.",
    },
    session_token: {
      type: "string",
      computed: true,
      sensitive: true,
      description: "The token. Whoever has it can start the session.",
    },
  },
  validate({ config, report }) {
    const { avatar_persona: wanted, mode } = config as Values;
    if (mode !== "FULL" || wanted === Unknown || (wanted as Values | null)?.context_id) return;
    report.warning("A FULL session without a context stays silent", "Set context_id in avatar_persona.", [
      "mode",
    ]);
  },
  async open(call) {
    const open = reachable(call);
    if (!open) return null;
    const config = call.config as Values;
    const body = bodyOf(config, open.settings.sandboxAvatar);
    if (body.is_sandbox && body.avatar_id === undefined) {
      const detail = "Set avatar_id here, or sandbox_avatar of the provider.";
      call.report.error("Sandbox mode needs an avatar", detail, ["is_sandbox"]);
      return null;
    }
    const { fields } = await open.service.sessions.token(body);
    const { token, sessionId } = tokenIn(fields);
    if (token === undefined) {
      const detail = `Its keys are ${keysOf(fields).join(", ") || "none"}. Check base_url, and whether the service is of another version.`;
      call.report.error("The service's answer holds no token", detail);
      return null;
    }
    if (!isToken(token)) {
      const detail = "It holds a space, a control character or another that no token has. Check base_url.";
      call.report.error("The service's token cannot be used", detail);
      return null;
    }
    return { result: { ...call.config, session_id: sessionId ?? null, session_token: token } };
  },
});

function bodyOf(config: Values, sandboxAvatar: string | undefined): TokenBody {
  const wanted: Values = Object.fromEntries(Object.keys(asked).map((name) => [name, config[name] ?? null]));
  const body = stated(wanted) as TokenBody;
  return body.is_sandbox && sandboxAvatar !== undefined ? { ...body, avatar_id: sandboxAvatar } : body;
}

/** A value as JSON has it, without what is not set. */
function stated(value: Value): unknown {
  if (value instanceof Decimal || typeof value === "bigint")
    return Number(value instanceof Decimal ? value.text : value);
  if (typeof value !== "object" || value === null) return value;
  const set = Object.entries(value).filter(([, one]) => one !== null);
  return Object.fromEntries(set.map(([name, one]) => [name, stated(one as Value)]));
}
