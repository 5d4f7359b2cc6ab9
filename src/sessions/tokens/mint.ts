import { parseProxy } from "../../base/http/index.js";
import { nodeSystem } from "../../base/system/index.js";
import { capitalize, isMapping, toMapping } from "../../base/text/index.js";
import { checkBaseUrl, openService, type Service, type ServiceOptions } from "../../core/api/index.js";
import { variablesKey } from "../../core/kinds/index.js";
import { Sealed } from "../../core/secrets/index.js";
import { type MintedToken, mintResolved, TokenError } from "../reports/index.js";
import { emitWarning, getEnvironment } from "./host.js";
import type { MintRequest, PresetName, RequestArguments } from "./preset-types.js";
import { type FilePreset, loadPresets } from "./presets-file.js";

type VariableValues = Readonly<Record<string, unknown>>;
type PresetRequest = MintRequest & { readonly dynamicVariables?: VariableValues | undefined };

/**
 * Requests a token that starts one session with a preset of the project (§4.5), for use in applications. The presets
 * come from the output of `avatarops generate presets`, and the API key and base URL from the environment.
 *
 * A request that may have arrived is never retried, because each session may cost credits. Errors never contain the
 * caller's values. If a request has such values, its errors also omit the service's message.
 *
 * @throws TokenError if nothing was sent or the response has no token; ServiceError if the service refused or failed;
 * the reason of `signal` as soon as it aborts.
 */
export async function mintToken<Name extends PresetName>(
  preset: Name,
  ...[request]: RequestArguments<Name>
): Promise<MintedToken> {
  const { signal } = request ?? {};
  signal?.throwIfAborted();
  const minting = mint(preset, request ?? {});
  return signal ? raceAbort(signal, minting) : minting;
}

async function mint(preset: string, request: PresetRequest): Promise<MintedToken> {
  const env = getEnvironment();
  const presets = request.presets ?? (env.AVATAROPS_PRESETS || "avatarops.presets.json");
  const file = await loadPresets(presets, preset);
  const found = Object.hasOwn(file.presets, preset) ? file.presets[preset] : undefined;
  if (!found) {
    const known = Object.keys(file.presets).join(", ") || "none";
    const message = `The output of \`avatarops generate presets\` has no preset ${JSON.stringify(preset)}. It has ${known}.`;
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
      value: new Sealed(requireVariable(env[variable], variable, preset)),
    }));
  const apiKey = requireVariable(request.apiKey ?? env.AVATAROPS_API_KEY, "AVATAROPS_API_KEY", preset).trim();
  const baseUrl = checkAddress(request.baseUrl ?? (env.AVATAROPS_BASE_URL?.trim() || file.service), preset);
  if (baseUrl !== file.service) {
    const message = `The preset ids belong to ${file.service}, but the base URL is ${baseUrl}. Print the presets for each account with \`avatarops generate presets --env …\`.`;
    throw new TokenError("other-service", preset, message);
  }
  const account = { baseUrl, apiKey, successCodes: file.success_codes };
  const confidential = request.extra !== undefined || request.dynamicVariables !== undefined;
  return mintResolved(
    getService(account),
    { key: preset, body },
    {
      ...{ sandbox: request.sandbox, sandboxAvatar: file.sandbox_avatar, signal: request.signal, secrets },
      ...(confidential && { confidential }),
    },
  );
}

/** A copy of the caller's values, so that later changes by the caller have no effect. */
type CopiedInput = Readonly<Record<"extra" | "dynamicVariables", VariableValues>>;

/** Builds the request body with the caller's values. */
function fillBody(
  preset: string,
  { request, variables, missing }: FilePreset,
  given: CopiedInput,
): VariableValues {
  const { extra } = given;
  const absent = missing.filter(({ path }) => !isGiven(given, path));
  if (absent.length > 0) {
    const named = absent.map(({ path, from }) => `${path.join(".")} (!${from})`).join(", ");
    const message = `sessions.${preset} takes values from sources that applications cannot read: ${named}. Pass them in extra.`;
    throw new TokenError("missing-value", preset, message);
  }
  const filled = { ...toMapping(extra[variablesKey]), ...given.dynamicVariables };
  const unfilled = variables.filter((name) => !Object.hasOwn(filled, name));
  if (unfilled.length > 0) {
    const named = unfilled.map((name) => JSON.stringify(name)).join(", ");
    const message = `The context of sessions.${preset} has placeholders without a value: ${named}. Pass them in dynamicVariables.`;
    throw new TokenError("missing-variable", preset, message);
  }
  const variablesGiven = Object.keys(filled).length > 0 ? { [variablesKey]: filled } : {};
  return overlay(request, { ...extra, ...variablesGiven }) as VariableValues;
}

function toVariables(given: VariableValues | undefined): VariableValues {
  const entries = Object.entries(given ?? {}).filter(([, value]) => value !== undefined && value !== null);
  for (const [name, value] of entries)
    if (typeof value !== "string")
      throw new TypeError(
        `dynamicVariables: ${JSON.stringify(name)} must be a string, but its type is ${typeof value}`,
      );
  return Object.fromEntries(entries);
}

function toJson(name: string, value: unknown): VariableValues {
  if (value === undefined) return {};
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(value));
  } catch {
    // Drops the cause, whose message may contain a value.
    throw new TypeError(`${name} is not JSON`);
  }
  if (isMapping(copy)) return copy;
  throw new TypeError(`${name} must be an object`);
}

/** Merges objects key by key and replaces other values, like the merge of an environment into a project. */
function overlay(base: unknown, over: unknown): unknown {
  if (!isMapping(base) || !isMapping(over)) return over;
  const entries = Object.entries(over).map(([key, value]) => [
    key,
    Object.hasOwn(base, key) ? overlay(base[key], value) : value,
  ]);
  return { ...base, ...Object.fromEntries(entries) };
}

/** Returns whether the caller provides the value at a path in the request. */
function isGiven({ extra, dynamicVariables }: CopiedInput, path: readonly (string | number)[]): boolean {
  let at: unknown = { ...extra, [variablesKey]: { ...toMapping(extra[variablesKey]), ...dynamicVariables } };
  for (const key of path) {
    // A list or primitive value replaces everything at deeper paths.
    if (typeof at !== "object" || at === null) return true;
    if (!Object.hasOwn(at, key)) return Array.isArray(at);
    at = (at as Record<string | number, unknown>)[key];
  }
  return true;
}

/** Rejects with the signal's reason as soon as it aborts, while the work continues in the background. */
function raceAbort<Result>(signal: AbortSignal, running: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    running.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

function requireVariable(value: string | undefined, variable: string, preset: string): string {
  if (value?.trim()) return value;
  const message = `The environment variable ${variable} is not set, but sessions.${preset} needs it. Set it.`;
  throw new TokenError("not-set", preset, message);
}

/** Account with a normalized base URL. */
type AccountOptions = Pick<ServiceOptions, "baseUrl" | "apiKey" | "successCodes">;

/** Clients shared between calls, with their connections and rate limits. Ordered by last use, oldest first. */
const shared = new Map<string, Service>();
/** Maximum number of clients. The least recently used client is dropped. */
const maxShared = 8;

/**
 * Returns the client for an account. It is never closed, because its idle connections time out and do not keep the
 * process alive.
 */
function getService(account: AccountOptions): Service {
  const key = JSON.stringify([account.baseUrl, account.apiKey, account.successCodes]);
  const service = shared.get(key) ?? open(account);
  shared.delete(key);
  shared.set(key, service);
  const [oldest = key] = shared.keys();
  if (shared.size > maxShared) shared.delete(oldest);
  return service;
}

function open(account: AccountOptions): Service {
  const found = parseProxy(getEnvironment());
  if ("problem" in found) throw new TypeError(found.problem);
  return openService({ ...account, system: nodeSystem, proxy: found.proxy });
}

/**
 * Normalizes an account's base URL. Warns once if the API key would be sent unencrypted.
 *
 * @throws TokenError
 */
function checkAddress(text: string, preset: string): string {
  const address = checkBaseUrl(text);
  if ("problem" in address)
    throw new TokenError(
      "not-set",
      preset,
      `The service's base URL ${address.problem}. ${capitalize(address.hint)}.`,
    );
  if (address.exposesKey)
    warnOnce("address", "The service's base URL would send the API key unencrypted. Use https://…");
  return address.url;
}

const warned = new Set<string>();

/** Warns once per process. */
function warnOnce(topic: string, message: string): void {
  if (warned.has(topic)) return;
  warned.add(topic);
  emitWarning(message);
}
