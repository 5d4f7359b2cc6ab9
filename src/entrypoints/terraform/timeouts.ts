import type {
  AttributeProblem,
  Attributes,
  ClientCall,
  DataSource,
  Value,
} from "@avatarops/terraform-plugin";
import type { OpenedAccount, ProviderClient } from "./account/open-account.js";
import type { AttributeValues } from "./values.js";

/** Attribute of `timeouts`, named as in terraform-plugin-framework-timeouts. */
type TimeoutName = "create" | "read" | "update" | "delete";

/** Creates the attribute `timeouts`, as in other protocol 6 providers. */
function createTimeoutsAttribute(descriptions: Readonly<Partial<Record<TimeoutName, string>>>): Attributes {
  const attributes: Attributes = Object.fromEntries(
    Object.entries(descriptions).map(([operation, description]) => [
      operation,
      { type: "string", optional: true, description, validate: (value) => checkDuration(operation, value) },
    ]),
  );
  const description =
    'Time limits, such as "30s", "5m" or "1h30m". Default: none. Each request is also limited by `timeout_seconds` in the provider block.';
  return { timeouts: { nesting: "single", optional: true, stateOnly: true, description, attributes } };
}

export const resourceTimeouts = createTimeoutsAttribute({
  create:
    "Time limit for a create. After a timeout, the provider looks for the new object for up to 15 s more.",
  read: "Time limit for a refresh and for reads during a plan. A refresh uses the value in the state.",
  update: "Time limit for an update.",
  delete:
    "Time limit for a delete. A delete uses the value in the state, so apply a changed value before you destroy.",
});

export function addReadTimeout(source: DataSource<ProviderClient>): DataSource<ProviderClient> {
  return {
    ...source,
    attributes: { ...source.attributes, ...createTimeoutsAttribute({ read: "Time limit for the read." }) },
    async read(call) {
      const read = await runWithTimeout("read", call, call.config, (limited) => source.read(limited));
      return read && { ...read, timeouts: call.config.timeouts ?? null };
    },
  };
}

/** Account and signal for finding an object whose create timed out. Both have a later deadline. */
export interface Recovery {
  readonly recovery?: { readonly account: OpenedAccount; readonly signal: AbortSignal };
}

/** Duration of the search for a created object, and extra time for its last read, in ms. */
const [searchMs, lastReadMs] = [10_000, 5_000];

/**
 * Runs a call within the time limit that `timeouts` sets in the given values. At the limit, its requests fail with an
 * error that names the attribute to raise. A write in flight has an unknown outcome, as after a lost response.
 */
export async function runWithTimeout<Call extends ClientCall<ProviderClient> & Recovery, Result>(
  operation: TimeoutName,
  call: Call,
  values: AttributeValues | null,
  run: (limited: Call) => Promise<Result>,
): Promise<Result> {
  const { account } = call.client;
  const limit = (values?.timeouts as AttributeValues | null | undefined)?.[operation];
  if (!account || typeof limit !== "string") return run(call);
  const attribute = `\`timeouts.${operation}\``;
  const reason = `not finished within ${limit} (${attribute}). Raise that limit to wait longer`;
  const startLimit = (ms: number) => {
    const deadline = new AbortController();
    const stop = account.system.startTimer(ms, () => deadline.abort(new Error(reason)));
    const signal = AbortSignal.any([call.signal, deadline.signal]);
    return { signal, account: account.limitTime(deadline.signal), stop };
  };
  const limited = startLimit(parseDuration(limit));
  const recovery = startLimit(parseDuration(limit) + (account.settings.settleMs ?? searchMs) + lastReadMs);
  try {
    return await run({ ...call, signal: limited.signal, client: { account: limited.account }, recovery });
  } finally {
    limited.stop();
    recovery.stop();
  }
}

const unitsMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** Parses a Go duration such as "1h30m". Returns milliseconds, or NaN if the duration is invalid. */
function parseDuration(text: string): number {
  if (!/^(\d+(\.\d+)?(h|ms|m|s))+$/.test(text)) return Number.NaN;
  const parts = [...text.matchAll(/([\d.]+)([hms]*)/g)];
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (unitsMs[unit] ?? 0), 0);
}

function checkDuration(operation: string, value: Value): AttributeProblem[] {
  if (parseDuration(String(value)) > 0) return [];
  const summary = `timeouts.${operation} is not a duration`;
  return [{ summary, detail: 'Write numbers above 0 with units, such as "30s", "5m" or "1h30m".' }];
}
