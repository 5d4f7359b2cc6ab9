import { isTlsError, trustAdvice, withoutNodeAdvice } from "../../../base/http/index.js";
import { plainLine } from "../../../base/text/index.js";
import { describeHolder, type Holder } from "../lock-holder.js";
import { StateError } from "../state-error.js";
import type { StoreEnvironment, StoreNames } from "../store-backend.js";

/** The store does not answer, or not with what such a store answers. `why` is a clause without a full stop. */
export function unreachable(location: string, why: string, cause?: unknown): StateError {
  return new StateError(
    "unreachable",
    location,
    `Cannot reach the state ${location}: ${why}. Check the network, the address (\`state:\` in the manifest) and whether ` +
      "the server runs, and run the command again. What was recorded before is not lost.",
    { cause },
  );
}

/** The store answers, but does not let us in. `why` is a clause without a full stop, `advice` a sentence. */
export function refused(location: string, why: string, advice: string, cause?: unknown): StateError {
  return new StateError("refused", location, `Cannot use the state ${location}: ${why}. ${advice}`, {
    cause,
  });
}

/** @throws StateError `refused` if an address gets no credentials. */
export function refuseHost(
  location: string,
  address: string,
  { hosts }: Pick<StoreEnvironment, "hosts">,
  from: "file" | "environment" = "file",
): void {
  const problem = hosts?.check(address, from);
  if (problem !== undefined)
    throw new StateError("refused", location, `Cannot use the state ${location}: its address ${problem}.`);
}

/** What a failure of a connection means. A wrong certificate does not pass, so nothing is tried again. */
export function connectionError(location: string, error: unknown, advice = trustAdvice): StateError {
  const { system, code = "" } = Object(error) as { readonly system?: string; readonly code?: string };
  const cause = system ?? code;
  const said = describeReason(error);
  if (/wrong.version.number|packet.length.too.long/i.test(said))
    return refused(location, "what answers there does not speak TLS", "Check host and port.", error);
  // Alerts of a server may pass.
  if (isTlsError(cause) && !/^(EPROTO|ERR_SSL_)/.test(cause)) return refused(location, said, advice, error);
  return unreachable(location, said, error);
}

/** A page of a proxy or a sign-in form says nothing about the state, whatever its status is. */
export function refusePage(
  location: string,
  text: string,
  type = "",
  status: number | undefined = 200,
): void {
  if (!/^text\/html\b/i.test(type) && !/^\s*</.test(text)) return;
  throw unreachable(location, `a web page answers there (status ${status}), not a store of states`);
}

/** The URL in `state:` is not one of this sort of store. */
export function wrongLocation(location: string, what: string): StateError {
  return new StateError("unknown-store", location, `The state ${location} ${what}`);
}

/** What a setting must be, and an example; null: anything. */
type SettingForm = readonly [isRight: (value: string) => boolean, example: string] | null;

/** The values of a URL's query; each name must be one of these. */
export function settingsIn<Name extends string>(
  url: URL,
  location: string,
  forms: Readonly<Record<Name, SettingForm>>,
): Partial<Record<Name, string>> {
  for (const [name, value] of url.searchParams) {
    if (!Object.hasOwn(forms, name)) {
      const known = Object.keys(forms).join(", ");
      throw wrongLocation(location, `has the unknown setting "${name}". Known are: ${known}.`);
    }
    const [isRight, example] = forms[name as Name] ?? [];
    if (isRight?.(value) === false)
      throw wrongLocation(location, `has a wrong ${name}: write ${name}=${example}.`);
  }
  return Object.fromEntries(url.searchParams) as Partial<Record<Name, string>>;
}

/** What messages call the parts of a store whose location says all. */
export function namesFrom(location: string, restore: string): StoreNames {
  return {
    ...{ state: location, restore },
    journal: `the journal of ${location}`,
    lock: `the lock of ${location}`,
  };
}

export function lockLost({ state }: Pick<StoreNames, "state">, holder?: Holder): StateError {
  const now = holder ? `${describeHolder(holder)} holds it now` : "no run holds it now";
  return new StateError(
    "lock-lost",
    state,
    `This run lost its lock of ${state}: it was removed or taken over, and ${now}. Nothing more is sent. The next run ` +
      "continues from what this one recorded.",
  );
}

export function conflict({ state }: Pick<StoreNames, "state">): StateError {
  return new StateError(
    "conflict",
    state,
    `Somebody else wrote ${state} although this run holds its lock, so it was not written. Find out who writes it without ` +
      "taking the lock, and run the command again.",
  );
}

/** What an error of a library says, on one line and without control characters: it may come from a server. */
export function describeReason(error: unknown): string {
  const said =
    error instanceof AggregateError ? error.errors.map(describeMessage).join("; ") : describeMessage(error);
  return plainLine(said).replace(/(?<![. ])[. ]+$/, "");
}

function describeMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (error.message === "") return code || error.name;
  return withoutNodeAdvice(error.message);
}
