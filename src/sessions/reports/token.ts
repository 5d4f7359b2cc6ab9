import { type Service, ServiceError } from "../../core/api/index.js";
import { requestToken, type TokenRequest, withValue } from "../../core/lifecycle/index.js";
import type { Preset, PresetSource } from "../../core/manifest/index.js";
import type { Sealed, ValueSource } from "../../core/secrets/index.js";

/** Session token. Hidden in a function, so that logs and JSON do not contain it. */
export interface MintedToken {
  /** Returns the token. Anyone who has it can start the session. */
  reveal(): string;
  readonly preset: string;
  readonly sandbox: boolean;
  /** The requested avatar, if one was named. */
  readonly avatarId?: string;
  /** Session id, if the response has one. */
  readonly sessionId?: string;
}

type TokenBody = Readonly<Record<string, unknown>>;

export interface MintOptions extends TokenRequest {
  /** Reads values from sources. Required for presets with sources. */
  readonly resolve?: ((source: ValueSource) => Promise<Sealed>) | undefined;
}

/** A preset with ids instead of references. */
export interface ResolvedPreset {
  readonly key: string;
  readonly body: TokenBody;
  readonly sources?: readonly PresetSource[];
}

/**
 * Requests a session token with the preset's body (§4.5). `idOf` returns the id of an address, if known.
 *
 * @throws TokenError
 */
export async function mintToken(
  service: Pick<Service, "sessions">,
  preset: Preset,
  idOf: (address: string) => string | undefined,
  options: MintOptions = {},
): Promise<MintedToken> {
  return await mintResolved(service, { ...preset, body: resolvePreset(preset, idOf, options) }, options);
}

/** Requests a session token with a resolved preset. */
export async function mintResolved(
  service: Pick<Service, "sessions">,
  { key, body, sources = [] }: ResolvedPreset,
  { resolve, ...options }: MintOptions = {},
): Promise<MintedToken> {
  const values = sources.map(async ({ path, source }) => {
    if (!resolve) throw new Error(`Bug: nothing resolves the sources of sessions.${key}`);
    return { path, value: await resolve(source) };
  });
  const secrets = [...(await Promise.all(values)), ...(options.secrets ?? [])];
  const result = await requestToken(service, body, { ...options, secrets }).catch(explainUnknownOutcome);
  switch (result.outcome) {
    case "minted": {
      const { outcome, token, ...facts } = result;
      return { reveal: () => token.reveal(), preset: key, ...facts };
    }
    case "refused-in-sandbox":
      // The error response does not name the accepted avatar.
      result.error.message +=
        " If the error concerns the avatar, set service.sandbox_avatar, because sandbox mode accepts only one avatar.";
      throw result.error;
    case "no-avatar":
      throw new TokenError(
        "no-avatar",
        key,
        `sessions.${key} has no avatar, but sandbox mode needs one. Set service.sandbox_avatar, or add an avatar to the preset.`,
      );
    case "no-token": {
      const { keys } = result;
      const found = keys.length > 0 ? `its keys are ${keys.join(", ")}` : "it has no keys";
      throw new TokenError(
        "no-token",
        key,
        `The service accepted the request for sessions.${key}, but its response has no token (${found}). Check base_url.`,
      );
    }
    case "unusable-token":
      throw new TokenError(
        "unusable-token",
        key,
        `The service accepted the request for sessions.${key}, but its token contains a space, a control character or another invalid character. The token is not shown. Check base_url, and any proxy in between.`,
      );
  }
}

/** Adds to an error why a request that may have arrived is not retried: each attempt may start another session. */
function explainUnknownOutcome(error: unknown): never {
  if (error instanceof ServiceError && error.outcome === "unknown")
    error.message +=
      " The request is not retried, because each attempt may start another session. To list active sessions: `avatarops sessions list`.";
  throw error;
}

/**
 * Builds the body of a preset's request, with ids instead of references.
 *
 * @throws TokenError if a reference has no id yet.
 */
export function resolvePreset(
  { body: declared, references, key }: Preset,
  idOf: (address: string) => string | undefined,
  { sandbox = declared.is_sandbox === true, sandboxAvatar }: TokenRequest = {},
): TokenBody {
  // The sandbox avatar replaces the preset's avatar, which therefore need not exist.
  const replaced = sandbox && sandboxAvatar !== undefined;
  const needed = references.filter(({ path }) => !(replaced && path.join(".") === "avatar_id"));
  const resolved = needed.map(({ path, address }) => ({ path, address, id: idOf(address) }));
  const unresolved = resolved.filter(({ id }) => id === undefined).map(({ address }) => address);
  if (unresolved.length > 0)
    throw new TokenError(
      "unresolved-reference",
      key,
      `sessions.${key} refers to objects whose ids are not known yet: ${unresolved.join(", ")}. Run \`avatarops apply\` first.`,
    );
  return resolved.reduce((body, { path, id }) => withValue(body, path, id), declared as TokenBody);
}

/** Reason why there is no token. */
export type TokenProblem =
  /** The preset refers to objects without an id. */
  | "unresolved-reference"
  /** Sandbox mode needs an avatar, but none is named. */
  | "no-avatar"
  /** The response has no token. */
  | "no-token"
  /** The token in the response has invalid characters. */
  | "unusable-token"
  /** An environment variable is not set, or the service's base URL is invalid. */
  | "not-set"
  /** The presets file is missing or invalid. */
  | "no-presets"
  /** The file has no such preset. */
  | "unknown-preset"
  /** A placeholder of the context has no value. */
  | "missing-variable"
  /** A value comes from a source that applications cannot read. */
  | "missing-value"
  /** The ids belong to another account. */
  | "other-service";

/** Error thrown if there is no token. The message contains the next step, but nothing from the response. */
export class TokenError extends Error {
  override readonly name = "TokenError";
  readonly code: TokenProblem;
  /** The preset's key. */
  readonly preset: string;

  constructor(code: TokenProblem, preset: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.preset = preset;
  }
}
