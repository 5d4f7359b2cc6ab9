import {
  describeConnectionFailure,
  dropNodeAdvice,
  isTlsError,
  isWithoutTls,
  trustAdvice,
} from "../../../base/http/index.js";
import { toPlainLine } from "../../../base/text/index.js";
import { describeHolder, type Holder } from "../lock-holder.js";
import { StateError } from "../state-error.js";
import type { StoreEnvironment, StoreNames } from "../store-backend.js";

/** Creates the error for a missing response, or a response that is not from the store. `reason` is a clause without a full stop. */
export function createUnreachableError(location: string, reason: string, cause?: unknown): StateError {
  return new StateError(
    "unreachable",
    location,
    `Cannot reach the state ${location}: ${reason}. Check the network and \`state:\` in the manifest, make sure that the ` +
      "server is running, and run the command again. Earlier records are safe.",
    { cause },
  );
}

/** Creates the error for denied access. `reason` is a clause without a full stop. `advice` is a sentence. */
export function createRefusedError(
  location: string,
  reason: string,
  advice: string,
  cause?: unknown,
): StateError {
  return new StateError("refused", location, `Cannot use the state ${location}: ${reason}. ${advice}`, {
    cause,
  });
}

/** Rejects a URL that must not receive credentials. @throws StateError `refused` */
export function assertHostAllowed(
  location: string,
  address: string,
  { hosts }: Pick<StoreEnvironment, "hosts">,
  from: "file" | "environment" = "file",
): void {
  const problem = hosts?.check(address, from);
  if (problem !== undefined)
    throw new StateError("refused", location, `Cannot use the state ${location}: its URL ${problem}.`);
}

/** Converts a failed connection to an error. An invalid certificate is permanent, so it is not retried. */
export function toConnectionError(location: string, error: unknown, advice = trustAdvice): StateError {
  const { system, code = "" } = Object(error) as { readonly system?: string; readonly code?: string };
  const cause = system ?? code;
  const reason = describeReason(error);
  // The reason contains the remedy.
  if (cause === "proxy-refused")
    return new StateError("refused", location, `Cannot use the state ${location}: ${reason}.`);
  if (isWithoutTls(reason))
    return createRefusedError(location, "the server does not use TLS", "Check the host and port.", error);
  // A server's TLS alert may be temporary.
  if (isTlsError(cause) && !/^(EPROTO|ERR_SSL_)/.test(cause))
    return createRefusedError(location, reason, advice, error);
  return createUnreachableError(location, reason, error);
}

/** Rejects a web page with any status, because it comes from a proxy or a sign-in form and not from the store. */
export function rejectPage(
  location: string,
  text: string,
  type = "",
  status: number | undefined = 200,
): void {
  if (!/^text\/html\b/i.test(type) && !/^\s*</.test(text)) return;
  throw createUnreachableError(location, `the response is a web page (status ${status}), not a state`);
}

/** Creates the error for an invalid `state:` URL. `problem` continues the sentence "The state LOCATION …". */
export function createLocationError(location: string, problem: string): StateError {
  return new StateError("unknown-store", location, `The state ${location} ${problem}`);
}

/** Check and example of a setting, or null to allow any value. */
type SettingForm = readonly [isValid: (value: string) => boolean, example: string] | null;

/** Reads the settings in a URL's query. Each name must be in `forms`. */
export function readUrlSettings<Name extends string>(
  url: URL,
  location: string,
  forms: Readonly<Record<Name, SettingForm>>,
): Partial<Record<Name, string>> {
  for (const [name, value] of url.searchParams) {
    if (!Object.hasOwn(forms, name)) {
      const known = Object.keys(forms).join(", ");
      throw createLocationError(location, `has an unknown setting "${name}". Valid settings: ${known}.`);
    }
    const [isValid, example] = forms[name as Name] ?? [];
    if (isValid?.(value) === false)
      throw createLocationError(location, `has an invalid ${name}. Example: ${name}=${example}.`);
  }
  return Object.fromEntries(url.searchParams) as Partial<Record<Name, string>>;
}

/** Decodes a part of a `state:` URL. */
export function decodeUrlPart(text: string, location: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw createLocationError(location, "has an invalid % escape. Write a percent sign as %25.");
  }
}

/** Creates the names of a store's parts for messages. */
export function createNames(location: string, restore: string): StoreNames {
  return {
    ...{ state: location, restore },
    journal: `the journal for ${location}`,
    lock: `the lock on ${location}`,
  };
}

/**
 * Creates the error for a lock that this run no longer owns.
 *
 * @param holder Current owner, if known.
 * @param since Clause about the run that wrote the state since, or "" if none did. Default: unknown.
 */
export function createLockLostError(
  { state }: Pick<StoreNames, "state">,
  holder?: Holder,
  since?: string,
): StateError {
  const successor = holder ? `${describeHolder(holder)} owns it now` : since;
  const message =
    `This run's lock on ${state} was removed or taken over${successor ? `, and ${successor}` : ""}. ` +
    "This run sends no more requests.";
  if (holder)
    return new StateError("lock-lost", state, `${message} The new owner continues from this run's records.`);
  const next = since === "" ? " The next run continues from this run's records." : "";
  return new StateError("lock-lost", state, `${message}${next}`);
}

export function createConflictError({ state }: Pick<StoreNames, "state">): StateError {
  return new StateError(
    "conflict",
    state,
    `Another program changed ${state} although this run owns the lock, so this run did not overwrite it. Find the program that ` +
      "ignores the lock, then run the command again.",
  );
}

/** Describes a library error on one line, without control characters, because a server may have sent the text. */
export function describeReason(error: unknown): string {
  const text =
    error instanceof AggregateError ? error.errors.map(describeMessage).join("; ") : describeMessage(error);
  return toPlainLine(text).replace(/(?<![. ])[. ]+$/, "");
}

function describeMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return describeConnectionFailure(dropNodeAdvice(error.message) || code || error.name);
}
