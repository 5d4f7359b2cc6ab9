import { type Service, ServiceError } from "../../core/api/index.js";
import { requestToken, type TokenRequest, withValue } from "../../core/lifecycle/index.js";
import type { PlacedSource, Preset } from "../../core/manifest/index.js";
import type { Sealed, ValueSource } from "../../core/secrets/index.js";

/** A token that is not printed by accident: it is in no property, so neither logs nor JSON contain it. */
export interface MintedToken {
  /** The token itself. Whoever has it can start the session. */
  reveal(): string;
  readonly preset: string;
  readonly sandbox: boolean;
  /** The requested avatar, if one was named. */
  readonly avatarId?: string;
  /** The session's id, if the answer has one. */
  readonly sessionId?: string;
}

type Body = Readonly<Record<string, unknown>>;

/** How a token is minted. */
export interface MintOptions extends TokenRequest {
  /** Reads the values that come from sources. Required for presets that have some. */
  readonly resolve?: ((source: ValueSource) => Promise<Sealed>) | undefined;
}

/** A preset with ids in place of references. */
export interface ResolvedPreset {
  readonly key: string;
  readonly body: Body;
  readonly sources?: readonly PlacedSource[];
}

/**
 * Requests a session token with the preset's body (§4.5). `idOf` returns the id of an address, if it has one
 * yet. Throws {@link TokenError}.
 */
export async function mintToken(
  service: Pick<Service, "sessions">,
  preset: Preset,
  idOf: (address: string) => string | undefined,
  options: MintOptions = {},
): Promise<MintedToken> {
  return await mintResolved(service, { ...preset, body: resolvePreset(preset, idOf, options) }, options);
}

/** The same for a preset that has its ids. */
export async function mintResolved(
  service: Pick<Service, "sessions">,
  { key, body, sources = [] }: ResolvedPreset,
  { resolve, ...options }: MintOptions = {},
): Promise<MintedToken> {
  const ofSources = sources.map(async ({ path, source }) => {
    if (!resolve) throw new Error(`Bug: nothing resolves the sources of sessions.${key}`);
    return { path, value: await resolve(source) };
  });
  const secrets = [...(await Promise.all(ofSources)), ...(options.secrets ?? [])];
  const result = await requestToken(service, body, { ...options, secrets }).catch(unrepeated);
  switch (result.outcome) {
    case "minted": {
      const { outcome, token, ...facts } = result;
      return { reveal: () => token.reveal(), preset: key, ...facts };
    }
    case "refused-in-sandbox":
      // The service does not name the avatar it takes.
      result.error.message +=
        " If this is about the avatar: sandbox mode accepts one only, so set service.sandbox_avatar to its id.";
      throw result.error;
    case "no-avatar":
      throw new TokenError(
        "no-avatar",
        key,
        `sessions.${key} has no avatar, and sandbox mode needs one: set service.sandbox_avatar, or add an avatar to the preset.`,
      );
    case "no-token": {
      const { keys } = result;
      const seen = keys.length > 0 ? `its keys are ${keys.join(", ")}` : "it has no keys";
      throw new TokenError(
        "no-token",
        key,
        `The service accepted the request for sessions.${key}, but its answer has no token: ${seen}.`,
      );
    }
    case "unusable-token":
      throw new TokenError(
        "unusable-token",
        key,
        `The service accepted the request for sessions.${key}, but its token contains a space, a control character or another invalid character. It is not shown. Check base_url, and whether there is a proxy in between.`,
      );
  }
}

/** A session that nobody joins may cost credits: the request is never repeated once it may have arrived. */
function unrepeated(error: unknown): never {
  if (error instanceof ServiceError && error.outcome === "unknown")
    error.message +=
      " The request is not repeated, because each one may start a session of its own: `avatarops sessions list` shows the active ones.";
  throw error;
}

/**
 * The body of a preset's request, with ids in place of references.
 *
 * @throws TokenError if there is no id yet for some of them.
 */
export function resolvePreset(
  { body: declared, references, key }: Preset,
  idOf: (address: string) => string | undefined,
  { sandbox = declared.is_sandbox === true, sandboxAvatar }: TokenRequest = {},
): Body {
  // A sandbox avatar replaces the preset's, which then need not exist.
  const replaced = sandbox && sandboxAvatar !== undefined;
  const needed = references.filter(({ path }) => !(replaced && path.join(".") === "avatar_id"));
  const resolved = needed.map(({ path, address }) => ({ path, address, id: idOf(address) }));
  const unresolved = resolved.filter(({ id }) => id === undefined).map(({ address }) => address);
  if (unresolved.length > 0)
    throw new TokenError(
      "unresolved-reference",
      key,
      `No id is known yet for ${unresolved.join(", ")}, which sessions.${key} refers to: run \`avatarops apply\` first.`,
    );
  return resolved.reduce((body, { path, id }) => withValue(body, path, id), declared as Body);
}

/** Why there is no token. */
export type TokenProblem =
  /** The preset refers to objects that have no id yet. */
  | "unresolved-reference"
  /** Sandbox mode needs an avatar, and none is named. */
  | "no-avatar"
  /** The service's answer has no token. */
  | "no-token"
  /** The token in the answer has invalid characters. */
  | "unusable-token"
  /** An environment variable is not set, or the address of the service is unusable. */
  | "not-set"
  /** There is no file of presets, or it is none. */
  | "no-presets"
  /** The file has no such preset. */
  | "unknown-preset"
  /** A placeholder of the context has no value. */
  | "missing-variable"
  /** The files take a value from a source that an application does not read. */
  | "missing-value"
  /** The ids belong to another account. */
  | "other-service";

/** No token; the message says what to do next. Never contains a value of the service's answer. */
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
