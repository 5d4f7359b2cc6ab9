import { isId } from "../../base/text/index.js";
import { type Service, ServiceError } from "../api/index.js";
import { Sealed } from "../secrets/index.js";
import { withValue } from "./with-value.js";

/** How a token differs from its declaration. */
export interface TokenOptions {
  /** Sandbox mode: no credits, one predefined avatar, about a minute (§8). Default: as the body says. */
  readonly sandbox?: boolean | undefined;
  /** The avatar of sandbox mode. Default: the body's. */
  readonly sandboxAvatar?: string | undefined;
}

export interface TokenRequest extends TokenOptions {
  /** Secret values, each with its place in the body. */
  readonly secrets?: readonly { readonly path: readonly (string | number)[]; readonly value: Sealed }[];
  /** The body holds values that no message may quote. Default: whether there are secrets. */
  readonly confidential?: boolean | undefined;
  /** Until the request is sent; from then on it is finished. */
  readonly signal?: AbortSignal | undefined;
}

export type TokenResult =
  | {
      readonly outcome: "minted";
      /** Whoever has it can start the session. */
      readonly token: Sealed;
      readonly sandbox: boolean;
      /** The requested avatar, if one was named. */
      readonly avatarId?: string;
      /** If the response has it. */
      readonly sessionId?: string;
    }
  /** The service refused, maybe because sandbox mode accepts another avatar than this one (§8). */
  | { readonly outcome: "refused-in-sandbox"; readonly error: ServiceError }
  /** Nothing was sent: sandbox mode needs an avatar, and none is named. */
  | { readonly outcome: "no-avatar" }
  /** The response has no token; `keys` are its keys. */
  | { readonly outcome: "no-token"; readonly keys: readonly string[] }
  /** The token in the response has invalid characters. */
  | { readonly outcome: "unusable-token" };

type Body = Readonly<Record<string, unknown>>;

/**
 * Requests a token that starts one session (§4.5). `body`: as declared, in the service's spelling.
 *
 * @throws ServiceError
 */
export async function requestToken(
  service: Pick<Service, "sessions">,
  { is_sandbox, ...declared }: Body,
  { sandbox = is_sandbox === true, sandboxAvatar, secrets = [], confidential, signal }: TokenRequest,
): Promise<TokenResult> {
  const body = sandbox ? { ...declared, ...sandboxed(declared, sandboxAvatar) } : declared;
  if (sandbox && body.avatar_id === undefined) return { outcome: "no-avatar" };
  const sent = secrets.reduce((at, { path, value }) => withValue(at, path, value.reveal()), body as Body);
  const how = { confidential: confidential ?? secrets.length > 0, signal };
  const response = await service.sessions.token(sent, how).catch((error: unknown) => {
    const isAboutAvatar = sandbox && sandboxAvatar === undefined;
    if (isAboutAvatar && error instanceof ServiceError && error.code === "refused") return error;
    throw error;
  });
  if (response instanceof ServiceError) return { outcome: "refused-in-sandbox", error: response };
  const { token, sessionId } = tokenIn(response);
  if (token === undefined) return { outcome: "no-token", keys: readKeys(response) };
  if (!isToken(token)) return { outcome: "unusable-token" };
  return {
    outcome: "minted",
    token: new Sealed(token),
    sandbox,
    ...(typeof body.avatar_id === "string" ? { avatarId: body.avatar_id } : {}),
    sessionId,
  };
}

/** A sandbox avatar replaces the declared one. */
function sandboxed({ avatar_id }: Body, sandboxAvatar: string | undefined): Body {
  return { is_sandbox: true, avatar_id: sandboxAvatar ?? avatar_id };
}

/**
 * The token in a response.
 *
 * Assumed: the token is under one of these keys (§4.5 does not show the response; deployments send `{
 * session_id, session_token }`).
 */
export function tokenIn(fields: Body): {
  readonly token: string | undefined;
  readonly sessionId: string | undefined;
} {
  return {
    token: firstText(fields, ["session_token", "token", "sessionToken"]),
    sessionId: firstText(fields, ["session_id", "sessionId"], isId),
  };
}

/** Whether a token is safe for a shell, a header and a terminal. The service issues no others. */
function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** The keys of a response, if they are names: messages describe the response by its keys, never by its values. */
export function readKeys(fields: Body): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name] !== "" && /^[a-z_]{1,40}$/i.test(name));
}

/** The first text under one of the keys, breadth first and at most three levels deep. */
function firstText(
  fields: Body,
  keys: readonly string[],
  isFit: (text: string) => boolean = Boolean,
): string | undefined {
  let level: unknown[] = [fields];
  for (let depth = 0; depth < 3; depth++) {
    const objects = level.filter((value): value is Body => typeof value === "object" && value !== null);
    for (const key of keys) {
      const found = objects
        .map((object) => object[key])
        .find((value) => typeof value === "string" && isFit(value));
      if (typeof found === "string") return found;
    }
    level = objects.flatMap((object) => Object.values(object));
  }
  return undefined;
}
