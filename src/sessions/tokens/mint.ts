import { proxyIn } from "../../base/http/index.js";
import { nodeSystem } from "../../base/system/index.js";
import { isMapping, toMapping } from "../../base/text/index.js";
import { checkBaseUrl, openService, type Service, type ServiceOptions } from "../../core/api/index.js";
import { variablesKey } from "../../core/kinds/index.js";
import { Sealed } from "../../core/secrets/index.js";
import { type MintedToken, mintResolved, TokenError } from "../reports/index.js";
import { emitWarning, environment } from "./host.js";
import type { MintRequest, PresetName, RequestArguments } from "./preset-types.js";
import { type FilePreset, loadPresets } from "./presets-file.js";

type Values = Readonly<Record<string, unknown>>;
type Request = MintRequest & { readonly dynamicVariables?: Values | undefined };

/**
 * Requests a token that starts one session with a preset of the project (§4.5), for application code. What it needs
 * of the project is in the file that `avatarops generate presets` writes; the key and the address are in the environment.
 *
 * A request is never repeated once it may have arrived: each may start a session that costs credits. What the caller
 * gives is in no error, and nothing is then quoted from a refusal. The token is in no property of the result.
 *
 * @throws TokenError if nothing was sent, or the answer has no token; ServiceError if the service refused or failed;
 * the reason of `signal`, as soon as it is aborted.
 */
export async function mintToken<Name extends PresetName>(
  preset: Name,
  ...[request]: RequestArguments<Name>
): Promise<MintedToken> {
  const { signal } = request ?? {};
  signal?.throwIfAborted();
  const minting = mint(preset, request ?? {});
  return signal ? endWith(signal, minting) : minting;
}

async function mint(preset: string, request: Request): Promise<MintedToken> {
  const env = environment();
  const presets = request.presets ?? (env.AVATAROPS_PRESETS || "avatarops.presets.json");
  const file = await loadPresets(presets, preset);
  const found = Object.hasOwn(file.presets, preset) ? file.presets[preset] : undefined;
  if (!found) {
    const known = Object.keys(file.presets).join(", ") || "none";
    const message = `There is no preset ${JSON.stringify(preset)} in what \`avatarops generate presets\` printed: there are ${known}.`;
    throw new TokenError("unknown-preset", preset, message);
  }
  const given = {
    extra: toJson("extra", request.extra),
    dynamicVariables: toVariables(request.dynamicVariables),
  };
  const body = fillBody(preset, found, given);
  const secrets = found.environment
    .filter(({ path }) => !isGiven(given, path))
    .map(({ path, variable }) => ({
      path,
      value: new Sealed(required(env[variable], variable, preset)),
    }));
  const apiKey = required(request.apiKey ?? env.AVATAROPS_API_KEY, "AVATAROPS_API_KEY", preset).trim();
  const baseUrl = checkAddress(request.baseUrl ?? (env.AVATAROPS_BASE_URL?.trim() || file.service), preset);
  if (baseUrl !== file.service) {
    const message = `The ids of the presets belong to ${file.service}, but the address of the service is ${baseUrl}. Print the presets of each account with \`avatarops generate presets --env …\`.`;
    throw new TokenError("other-service", preset, message);
  }
  const account = { baseUrl, apiKey, successCodes: file.success_codes };
  const confidential = request.extra !== undefined || request.dynamicVariables !== undefined;
  return mintResolved(
    shareService(account),
    { key: preset, body },
    {
      ...{ sandbox: request.sandbox, sandboxAvatar: file.sandbox_avatar, signal: request.signal, secrets },
      ...(confidential && { confidential }),
    },
  );
}

/** What the caller gives: a copy, so that the caller may change it meanwhile. */
type Given = Readonly<Record<"extra" | "dynamicVariables", Values>>;

/** The body of the request, with what the caller gives. */
function fillBody(preset: string, { request, variables, missing }: FilePreset, given: Given): Values {
  const { extra } = given;
  const absent = missing.filter(({ path }) => !isGiven(given, path));
  if (absent.length > 0) {
    const named = absent.map(({ path, from }) => `${path.join(".")} (!${from})`).join(", ");
    const message = `sessions.${preset} takes values from sources that an application does not read: ${named}. Give them in extra.`;
    throw new TokenError("missing-value", preset, message);
  }
  const filled = { ...toMapping(extra[variablesKey]), ...given.dynamicVariables };
  const unfilled = variables.filter((name) => !Object.hasOwn(filled, name));
  if (unfilled.length > 0) {
    const named = unfilled.map((name) => JSON.stringify(name)).join(", ");
    const message = `The context of sessions.${preset} has placeholders without a value: ${named}. Give them in dynamicVariables.`;
    throw new TokenError("missing-variable", preset, message);
  }
  const variablesGiven = Object.keys(filled).length > 0 ? { [variablesKey]: filled } : {};
  return overlay(request, { ...extra, ...variablesGiven }) as Values;
}

function toVariables(given: Values | undefined): Values {
  const entries = Object.entries(given ?? {}).filter(([, value]) => value !== undefined && value !== null);
  for (const [name, value] of entries)
    if (typeof value !== "string")
      throw new TypeError(
        `dynamicVariables: ${JSON.stringify(name)} must be a string, not a ${typeof value}`,
      );
  return Object.fromEntries(entries);
}

function toJson(what: string, value: unknown): Values {
  if (value === undefined) return {};
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(value));
  } catch {
    // The message of the cause could tell of a value.
    throw new TypeError(`${what} is not JSON`);
  }
  if (isMapping(copy)) return copy;
  throw new TypeError(`${what} must be an object`);
}

/** Objects key by key, everything else replaced: as environments are laid over a project. */
function overlay(base: unknown, over: unknown): unknown {
  if (!isMapping(base) || !isMapping(over)) return over;
  const entries = Object.entries(over).map(([key, value]) => [
    key,
    Object.hasOwn(base, key) ? overlay(base[key], value) : value,
  ]);
  return { ...base, ...Object.fromEntries(entries) };
}

/** Whether the caller gives what belongs at a place of the request. */
function isGiven({ extra, dynamicVariables }: Given, path: readonly (string | number)[]): boolean {
  let at: unknown = { ...extra, [variablesKey]: { ...toMapping(extra[variablesKey]), ...dynamicVariables } };
  for (const key of path) {
    // A list or a text in its place replaces it.
    if (typeof at !== "object" || at === null) return true;
    if (!Object.hasOwn(at, key)) return Array.isArray(at);
    at = (at as Record<string | number, unknown>)[key];
  }
  return true;
}

/** Rejects with the signal's reason as soon as it is aborted; what is under way ends by itself. */
function endWith<Result>(signal: AbortSignal, running: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    running.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

function required(value: string | undefined, variable: string, preset: string): string {
  if (value?.trim()) return value;
  const message = `The environment variable ${variable} is not set, and sessions.${preset} needs it.`;
  throw new TokenError("not-set", preset, message);
}

/** The address is normalised. */
type Account = Pick<ServiceOptions, "baseUrl" | "apiKey" | "successCodes">;

/** Calls share the connections to an account and what is known of its limits; the least recently used is first. */
const shared = new Map<string, Service>();
/** Of more accounts, the least recently used is forgotten. */
const mostShared = 8;

/** The client of an account. Nobody closes it: idle connections end by themselves, and hold no process up. */
function shareService(account: Account): Service {
  const key = JSON.stringify([account.baseUrl, account.apiKey, account.successCodes]);
  const service = shared.get(key) ?? open(account);
  shared.delete(key);
  shared.set(key, service);
  const [oldest = key] = shared.keys();
  if (shared.size > mostShared) shared.delete(oldest);
  return service;
}

function open(account: Account): Service {
  const found = proxyIn(environment());
  if ("problem" in found) throw new TypeError(found.problem);
  return openService({ ...account, system: nodeSystem, proxy: found.proxy });
}

/** The address of an account, normalised. Warns once of one that would send the API key unencrypted. @throws TokenError */
function checkAddress(text: string, preset: string): string {
  const address = checkBaseUrl(text);
  if ("problem" in address)
    throw new TokenError(
      "not-set",
      preset,
      `The address of the service ${address.problem}: ${address.hint}.`,
    );
  if (address.exposesKey)
    warnOnce("address", "The address of the service would send the API key unencrypted: use https://…");
  return address.url;
}

const warned = new Set<string>();

/** Warns of something once in the life of the process. */
function warnOnce(of: string, message: string): void {
  if (warned.has(of)) return;
  warned.add(of);
  emitWarning(message);
}
