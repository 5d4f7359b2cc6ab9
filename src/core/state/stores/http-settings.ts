import { findNearest } from "../../../base/diagnostics/index.js";
import type { RetrySettings } from "../retry.js";
import { createLocationError } from "./errors.js";

type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Settings for Terraform's http backend, from a state URL's query or the environment. */
export interface HttpSettings {
  /** State URL without settings. */
  readonly address: URL;
  readonly updateMethod: string;
  readonly lockAddress: URL;
  readonly lockMethod: string;
  readonly unlockAddress: URL;
  readonly unlockMethod: string;
  /** Omitted if no retry settings are configured. */
  readonly retries?: RetrySettings;
}

const names = [
  ...["update_method", "lock_address", "lock_method", "unlock_address", "unlock_method"],
  ...["retry_max", "retry_wait_min", "retry_wait_max"],
] as const;

/**
 * Reads settings from the URL's query, or from environment variables such as `TF_HTTP_LOCK_ADDRESS`. By default, GitLab
 * and Gitea lock at `…/lock` with POST and DELETE, and other servers at the state URL with LOCK and UNLOCK. Other query
 * parameters are sent to the server, unless they resemble a setting.
 *
 * @throws StateError `unknown-store` for an invalid or misspelled setting.
 */
export function readHttpSettings(
  url: URL,
  environment: EnvironmentVariables,
  isCodeHost: boolean,
): HttpSettings {
  const address = new URL(url);
  for (const name of names) address.searchParams.delete(name);
  const location = address.href;
  for (const name of address.searchParams.keys()) {
    const meant = findNearest(name, names);
    if (meant)
      throw createLocationError(location, `has an unknown setting "${name}". Did you mean ${meant}?`);
  }
  // Ignores variables for another address, which may belong to a Terraform state in the same job.
  const { TF_HTTP_ADDRESS: other = "" } = environment;
  const variables = other === "" || other === location ? environment : {};

  function read<Value>(
    name: string,
    parse: (text: string) => Value | undefined,
    expected: string,
  ): Value | undefined {
    const variable = `TF_HTTP_${name.toUpperCase()}`;
    const inUrl = url.searchParams.get(name);
    const text = inUrl ?? (variables[variable] || undefined);
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value !== undefined) return value;
    const problem =
      inUrl === null ? `cannot be used, because ${variable} is invalid` : `has an invalid ${name}`;
    throw createLocationError(location, `${problem}. It must be ${expected}.`);
  }
  const readMethod = (name: string, preset: string) =>
    read(name, (text) => (/^[A-Z]{1,20}$/.test(text) ? text : undefined), "an HTTP method such as PUT") ??
    preset;
  const readAddress = (name: string, preset: URL) =>
    read(
      name,
      (text) => parseAddress(text, address),
      `a URL on ${address.origin}, because requests to it contain credentials`,
    ) ?? preset;
  const readNumber = (name: string) =>
    read(name, (text) => (/^\d{1,3}$/.test(text) ? Number(text) : undefined), "a whole number up to 999");

  const usual = new URL(address);
  if (isCodeHost) usual.pathname += "/lock";
  const lockAddress = readAddress("lock_address", usual);
  const [max, waitMin, waitMax] = ["retry_max", "retry_wait_min", "retry_wait_max"].map(readNumber);
  return {
    address,
    updateMethod: readMethod("update_method", "POST"),
    lockAddress,
    lockMethod: readMethod("lock_method", isCodeHost ? "POST" : "LOCK"),
    unlockAddress: readAddress("unlock_address", lockAddress),
    unlockMethod: readMethod("unlock_method", isCodeHost ? "DELETE" : "UNLOCK"),
    ...((max ?? waitMin ?? waitMax) !== undefined && {
      retries: { max: max ?? 2, minMs: (waitMin ?? 1) * 1_000, maxMs: (waitMax ?? 30) * 1_000 },
    }),
  };
}

/**
 * Parses a URL. Returns undefined if it points to another server, because a lock request contains the state's
 * credentials.
 */
function parseAddress(text: string, { origin }: URL): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.origin === origin && url.username === "" && url.password === "" ? url : undefined;
}
