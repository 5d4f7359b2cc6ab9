import type { Service } from "../api/index.js";
import type { Preset } from "../manifest/index.js";
import { isId } from "../shapes/index.js";
import { TokenError } from "./token-error.js";

/** How a token departs from its preset. */
export interface TokenOptions {
  /** Sandbox mode: no credits, one predefined avatar, about a minute (§8). Default: as the preset says. */
  readonly sandbox?: boolean;
  /** The avatar of sandbox mode. Default: the preset's. */
  readonly sandboxAvatar?: string;
}

/** A token that is not printed by accident: it is in no property, so neither logs nor JSON show it. */
export interface MintedToken {
  /** The token itself. Whoever holds it can start the session. */
  reveal(): string;
  readonly preset: string;
  readonly sandbox: boolean;
  /** The avatar asked for, where one was named. */
  readonly avatarId?: string;
  /** The session's id, where the answer tells it. */
  readonly sessionId?: string;
}

type Body = Readonly<Record<string, unknown>>;

/**
 * Asks for a session token with the preset's body (§4.5). `idOf` tells the id that belongs to an address, if it has
 * one yet. Throws {@link TokenError}.
 */
export async function mintToken(
  service: Pick<Service, "sessions">,
  preset: Preset,
  idOf: (address: string) => string | undefined,
  options: TokenOptions = {},
): Promise<MintedToken> {
  const body = bodyOf(preset, idOf, options);
  const { fields } = await service.sessions.token(body);
  const { token, sessionId } = tokenIn(fields);
  if (token === undefined) throw noToken(preset, fields);
  if (!isToken(token)) throw unusableToken(preset);
  return {
    reveal: () => token,
    preset: preset.key,
    sandbox: body.is_sandbox === true,
    ...(typeof body.avatar_id === "string" ? { avatarId: body.avatar_id } : {}),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}

function bodyOf(
  preset: Preset,
  idOf: (address: string) => string | undefined,
  { sandbox = preset.body.is_sandbox === true, sandboxAvatar }: TokenOptions,
): Body {
  // A sandbox avatar takes the place of the preset's, which then need not exist.
  const replaced = sandbox && sandboxAvatar !== undefined;
  const references = preset.references.filter(({ path }) => !(replaced && path.join(".") === "avatar_id"));
  const resolved = references.map(({ path, address }) => ({ path, address, id: idOf(address) }));
  const unresolved = resolved.filter(({ id }) => id === undefined).map(({ address }) => address);
  if (unresolved.length > 0) throw notApplied(preset, unresolved);

  const { is_sandbox, ...declared } = preset.body;
  let body: Body = declared;
  for (const { path, id } of resolved) body = withValue(body, path, id);
  if (!sandbox) return body;
  const avatar = sandboxAvatar ?? body.avatar_id;
  if (avatar === undefined) throw noAvatar(preset);
  return { ...body, is_sandbox: true, avatar_id: avatar };
}

/** A copy of the body with one value set, making the objects on the way. */
function withValue(body: Body, [key, ...rest]: readonly string[], value: unknown): Body {
  if (key === undefined) throw new Error("Bug: a preset's reference has no path");
  const inner = body[key];
  const object = typeof inner === "object" && inner !== null ? (inner as Body) : {};
  return { ...body, [key]: rest.length === 0 ? value : withValue(object, rest, value) };
}

/**
 * What an answer to a request for a token holds of it.
 *
 * Assumed: the token is under one of these keys (§4.5 does not show the answer; deployments give `{ session_id, session_token }`).
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

/** Whether a token is fit to be handed on: to a shell, a header, a terminal. Others are not the service's. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** The names an answer has values under, as far as they are names: it is told by them, never by its values. */
export function keysOf(fields: Body): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name] !== "" && /^[a-z_]\w{0,39}$/i.test(name));
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

function notApplied({ key }: Preset, addresses: readonly string[]): TokenError {
  const named = addresses.join(", ");
  return new TokenError(
    "unresolved-reference",
    key,
    `No id is known yet for ${named}, which sessions.${key} refers to: run \`avatarops apply\` first.`,
  );
}

function noAvatar({ key }: Preset): TokenError {
  return new TokenError(
    "no-avatar",
    key,
    `sessions.${key} names no avatar, and sandbox mode needs one: set service.sandbox_avatar, or give the preset an avatar.`,
  );
}

function noToken({ key }: Preset, fields: Body): TokenError {
  const keys = keysOf(fields);
  const seen = keys.length > 0 ? `its keys are ${keys.join(", ")}` : "it holds no keys at all";
  return new TokenError(
    "no-token",
    key,
    `The service accepted the request for sessions.${key}, but no token was found in its answer: ${seen}.`,
  );
}

function unusableToken({ key }: Preset): TokenError {
  return new TokenError(
    "unusable-token",
    key,
    `The service accepted the request for sessions.${key}, but its token holds a space, a control character or another that no token has. It is not shown. Check base_url, and whether a proxy stands in between.`,
  );
}
