import * as z from "zod";
import { type Listing, type ListOptions, type Page, readList, readPage } from "./pages.js";
import { request, type Send } from "./request.js";
import { amount, ask, flag, id, text } from "./shape.js";

const session = z.object({
  id,
  /** ISO 8601. */
  created_at: text,
  updated_at: text,
  /** The unit is not documented. */
  duration: amount,
  /** DEMO, APP, API, EMBED and future values. */
  source: text,
  /** FULL, LITE and future values. */
  mode: text,
  is_sandbox: flag,
  /** Documented as an integer; fractions occur. */
  credits_consumed: amount,
  /** Only for historic sessions, if the service sends it. */
  end_at: text,
  end_reason: text,
});

/** A session (§2.7). Texts that are null or absent are "", numbers undefined. */
export type Session = Readonly<z.output<typeof session>>;

/**
 * The request for a session (§4.5). Required fields are documented for the sandbox only. Deployments take more than
 * these: whatever else is in it is sent too.
 */
export interface TokenBody {
  readonly avatar_id?: string;
  readonly avatar_persona?: {
    readonly voice_id?: string;
    readonly context_id?: string;
    readonly language?: string;
    readonly voice_settings?: {
      readonly provider?: string;
      readonly speed?: number;
      readonly stability?: number;
      readonly similarity_boost?: number;
      readonly style?: number;
      readonly use_speaker_boost?: boolean;
      readonly model?: string;
    };
    readonly stt_config?: { readonly provider?: string };
  };
  readonly mode?: string;
  readonly is_sandbox?: boolean;
  readonly video_settings?: { readonly quality?: string; readonly encoding?: string };
  readonly max_session_duration?: number;
  readonly interactivity_type?: string;
  readonly llm_configuration_id?: string;
}

/** The response is not documented (§4.5): deployments send the two named fields; `fields` has everything. */
export interface TokenResponse {
  readonly session_id: string;
  /** Allows its holder to join: show it only if asked for. */
  readonly session_token: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const tokenResponse: z.ZodType<TokenResponse> = z
  .looseObject({ session_id: text, session_token: text })
  .transform((fields) => ({ session_id: fields.session_id, session_token: fields.session_token, fields }));

export interface TokenRequestOptions {
  /** The body holds secrets: nothing of the response is quoted. */
  readonly confidential?: boolean;
  /** Until the request is sent; from then on it is finished. */
  readonly signal?: AbortSignal | undefined;
}

/** Sessions are listed and started, not managed (§4.5). */
export interface Sessions {
  list(type: "active" | "historic", options?: ListOptions<Session>): Promise<Listing<Session>>;
  /**
   * One page, 1 being the first, with its entries as answered, whatever their shape. `size` is 1 to 100 (§8). With
   * `once` the request is not repeated.
   */
  page(
    type: "active" | "historic",
    number: number,
    size: number,
    options?: { readonly once?: boolean },
  ): Promise<Page<unknown>>;
  token(body: TokenBody, options?: TokenRequestOptions): Promise<TokenResponse>;
}

export function sessions(send: Send): Sessions {
  return {
    list: (type, options) => readList(send, "/v1/sessions", session, { type }, options),
    page(type, number, size, options) {
      const query = { type, page: `${number}`, page_size: `${size}` };
      return readPage(send, "/v1/sessions", z.unknown(), query, options);
    },
    token: (body, options = {}) =>
      ask(
        send,
        request("POST", "/v1/sessions/token", { body, hasSecretResponse: true, ...options }),
        tokenResponse,
      ),
  };
}
