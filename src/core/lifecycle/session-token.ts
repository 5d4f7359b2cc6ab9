import { isId } from "../../base/text/index.js";
import { type Service, ServiceError } from "../api/index.js";
import { Sealed } from "../secrets/index.js";
import { withValue } from "./with-value.js";

/** Overrides for the declared session. */
export interface TokenOptions {
  /** Whether to use sandbox mode (§8: free, predefined avatar, about a minute). Default: the body's `is_sandbox`. */
  readonly sandbox?: boolean | undefined;
  /** Avatar for sandbox mode. Default: the body's avatar. */
  readonly sandboxAvatar?: string | undefined;
}

export interface TokenRequest extends TokenOptions {
  /** Secret values, with their paths in the body. */
  readonly secrets?: readonly { readonly path: readonly (string | number)[]; readonly value: Sealed }[];
  /** Whether messages must not quote the body's values. Default: true if there are secrets. */
  readonly confidential?: boolean | undefined;
  /** Signal that cancels an unsent request. A sent request finishes. */
  readonly signal?: AbortSignal | undefined;
}

export type TokenResult =
  | {
      readonly outcome: "minted";
      /** Session token. Anyone with the token can start the session. */
      readonly token: Sealed;
      readonly sandbox: boolean;
      /** Requested avatar, if any. */
      readonly avatarId?: string;
      /** Session id. Omitted if the response has none. */
      readonly sessionId?: string;
    }
  /** Request that the service refused, perhaps because sandbox mode requires a different avatar (§8). */
  | { readonly outcome: "refused-in-sandbox"; readonly error: ServiceError }
  /** Request that was not sent, because sandbox mode needs an avatar. */
  | { readonly outcome: "no-avatar" }
  /** Response with these keys, but without a token. */
  | { readonly outcome: "no-token"; readonly keys: readonly string[] }
  /** Response whose token has invalid characters. */
  | { readonly outcome: "unusable-token" };

type TokenBody = Readonly<Record<string, unknown>>;

/**
 * Requests a token for one session (§4.5), from a declaration in the service's spelling.
 *
 * @throws ServiceError
 */
export async function requestToken(
  service: Pick<Service, "sessions">,
  { is_sandbox, ...declared }: TokenBody,
  { sandbox = is_sandbox === true, sandboxAvatar, secrets = [], confidential, signal }: TokenRequest,
): Promise<TokenResult> {
  const body = sandbox ? { ...declared, ...buildSandboxFields(declared, sandboxAvatar) } : declared;
  if (sandbox && body.avatar_id === undefined) return { outcome: "no-avatar" };
  const sent = secrets.reduce(
    (at, { path, value }) => withValue(at, path, value.reveal()),
    body as TokenBody,
  );
  const options = { confidential: confidential ?? secrets.length > 0, signal };
  const response = await service.sessions.createToken(sent, options).catch((error: unknown) => {
    const isAboutAvatar = sandbox && sandboxAvatar === undefined;
    if (isAboutAvatar && error instanceof ServiceError && error.code === "refused") return error;
    throw error;
  });
  if (response instanceof ServiceError) return { outcome: "refused-in-sandbox", error: response };
  const { token, sessionId } = findToken(response);
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

function buildSandboxFields({ avatar_id }: TokenBody, sandboxAvatar: string | undefined): TokenBody {
  return { is_sandbox: true, avatar_id: sandboxAvatar ?? avatar_id };
}

/**
 * Finds the token in a response, trying several likely keys. The response is undocumented (§4.5), but deployments send
 * `{ session_id, session_token }`.
 */
export function findToken(fields: TokenBody): {
  readonly token: string | undefined;
  readonly sessionId: string | undefined;
} {
  return {
    token: findText(fields, ["session_token", "token", "sessionToken"]),
    sessionId: findText(fields, ["session_id", "sessionId"], isId),
  };
}

/** Returns whether a token is safe for a shell, a header and a terminal, as all service tokens are. */
function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** Returns the response's keys that look like names. Messages list them instead of values, which may be secret. */
export function readKeys(fields: TokenBody): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name] !== "" && /^[a-z_]{1,40}$/i.test(name));
}

/** Finds the first string under one of the keys, breadth-first and at most three levels deep. */
function findText(
  fields: TokenBody,
  keys: readonly string[],
  isFit: (text: string) => boolean = Boolean,
): string | undefined {
  let level: unknown[] = [fields];
  for (let depth = 0; depth < 3; depth++) {
    const objects = level.filter((value): value is TokenBody => typeof value === "object" && value !== null);
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
