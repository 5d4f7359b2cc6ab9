import { dropNodeAdvice, isTlsError, trustAdvice } from "../../../base/http/index.js";
import { toPlainLine } from "../../../base/text/index.js";
import { describeHolder, type Holder } from "../lock-holder.js";
import { StateError } from "../state-error.js";
import type { StoreEnvironment, StoreNames } from "../store-backend.js";

/** Creates the error for a missing or foreign response. `reason` is a clause without a full stop. */
export function createUnreachableError(location: string, reason: string, cause?: unknown): StateError {
  return new StateError(
    "unreachable",
    location,
    `Cannot reach the state ${location}: ${reason}. Check the network, the address (\`state:\` in the manifest) and whether ` +
      "the server runs, then run the command again. Earlier records are not lost.",
    { cause },
  );
}

/** Creates the error for denied access. `reason` is a clause without a full stop, `advice` a sentence. */
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

/** @throws StateError `refused` if an address must not receive credentials. */
export function assertHostAllowed(
  location: string,
  address: string,
  { hosts }: Pick<StoreEnvironment, "hosts">,
  from: "file" | "environment" = "file",
): void {
  const problem = hosts?.check(address, from);
  if (problem !== undefined)
    throw new StateError("refused", location, `Cannot use the state ${location}: its address ${problem}.`);
}

/** Explains a failed connection. An invalid certificate is permanent, so it is not retried. */
export function toConnectionError(location: string, error: unknown, advice = trustAdvice): StateError {
  const { system, code = "" } = Object(error) as { readonly system?: string; readonly code?: string };
  const cause = system ?? code;
  const reason = describeReason(error);
  if (/wrong.version.number|packet.length.too.long/i.test(reason))
    return createRefusedError(location, "the server does not use TLS", "Check host and port.", error);
  // A server's TLS alert may be temporary.
  if (isTlsError(cause) && !/^(EPROTO|ERR_SSL_)/.test(cause))
    return createRefusedError(location, reason, advice, error);
  return createUnreachableError(location, reason, error);
}

/** Rejects the page of a proxy or a sign-in form, which never comes from the store, whatever its status. */
export function rejectPage(
  location: string,
  text: string,
  type = "",
  status: number | undefined = 200,
): void {
  if (!/^text\/html\b/i.test(type) && !/^\s*</.test(text)) return;
  throw createUnreachableError(location, `the response is a web page (status ${status}), not a state`);
}

/** Creates the error for a URL in `state:` that does not fit the store. `problem` ends the sentence. */
export function createLocationError(location: string, problem: string): StateError {
  return new StateError("unknown-store", location, `The state ${location} ${problem}`);
}

/** The check of a setting, and an example; null allows any value. */
type SettingForm = readonly [isValid: (value: string) => boolean, example: string] | null;

/** Reads the query of a URL; each name must be one of these. */
export function readUrlSettings<Name extends string>(
  url: URL,
  location: string,
  forms: Readonly<Record<Name, SettingForm>>,
): Partial<Record<Name, string>> {
  for (const [name, value] of url.searchParams) {
    if (!Object.hasOwn(forms, name)) {
      const known = Object.keys(forms).join(", ");
      throw createLocationError(location, `has the unknown setting "${name}". The settings are: ${known}.`);
    }
    const [isValid, example] = forms[name as Name] ?? [];
    if (isValid?.(value) === false)
      throw createLocationError(location, `has an invalid ${name}: write ${name}=${example}.`);
  }
  return Object.fromEntries(url.searchParams) as Partial<Record<Name, string>>;
}

/** Names the parts of a store by its location, for messages. */
export function createNames(location: string, restore: string): StoreNames {
  return {
    ...{ state: location, restore },
    journal: `the journal of ${location}`,
    lock: `the lock of ${location}`,
  };
}

export function createLockLostError({ state }: Pick<StoreNames, "state">, holder?: Holder): StateError {
  const successor = holder ? `${describeHolder(holder)} holds it now` : "no run holds it now";
  return new StateError(
    "lock-lost",
    state,
    `This run lost its lock of ${state}: it was removed or taken over, and ${successor}. Nothing more is sent. The next run ` +
      "continues from this run's records.",
  );
}

export function createConflictError({ state }: Pick<StoreNames, "state">): StateError {
  return new StateError(
    "conflict",
    state,
    `Another program wrote ${state} although this run holds its lock, so this run did not write it. Find out which program ` +
      "ignores the lock, then run the command again.",
  );
}

/** Describes a library's error on one line, without control characters, because a server may have sent it. */
export function describeReason(error: unknown): string {
  const text =
    error instanceof AggregateError ? error.errors.map(describeMessage).join("; ") : describeMessage(error);
  return toPlainLine(text).replace(/(?<![. ])[. ]+$/, "");
}

function describeMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (error.message === "") return code || error.name;
  return dropNodeAdvice(error.message);
}
