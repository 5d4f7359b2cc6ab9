import type {
  AttributeProblem,
  Attributes,
  ClientCall,
  DataSource,
  Value,
} from "@avatarops/terraform-plugin";
import type { Account, OpenAccount } from "./account/open-account.js";
import type { Values } from "./values.js";

/** What may take a limited time, by the name that terraform-plugin-framework-timeouts gives it. */
type Operation = "create" | "read" | "update" | "delete";

/** The attribute `timeouts`, as other providers of protocol 6 have it. */
function timeoutsAttribute(descriptions: Readonly<Partial<Record<Operation, string>>>): Attributes {
  const attributes: Attributes = Object.fromEntries(
    Object.entries(descriptions).map(([operation, description]) => [
      operation,
      { type: "string", optional: true, description, validate: (value) => checkDuration(operation, value) },
    ]),
  );
  const description =
    'Time limits, such as "30s", "5m" or "1h30m". Default: none, but `timeout_seconds` of the provider for each request.';
  return { timeouts: { nesting: "single", optional: true, stateOnly: true, description, attributes } };
}

export const resourceTimeouts = timeoutsAttribute({
  create: "How long a create may take. One that is cut off is looked for, which may take 15 s more.",
  read: "How long a refresh may take, as it is in the state, and what a plan reads.",
  update: "How long an update may take.",
  delete: "How long a delete may take, as it is in the state: apply it before you destroy.",
});

/** A data source whose reading can be limited. */
export function withReadTimeout(source: DataSource<Account>): DataSource<Account> {
  return {
    ...source,
    attributes: { ...source.attributes, ...timeoutsAttribute({ read: "How long the read may take." }) },
    async read(call) {
      const read = await withinTimeout("read", call, call.config, (limited) => source.read(limited));
      return read && { ...read, timeouts: call.config.timeouts ?? null };
    },
  };
}

/** What looks for an object whose create was cut off: it has more time. */
export interface Recovery {
  readonly recovery?: { readonly open: OpenAccount; readonly signal: AbortSignal };
}

/** How long the search takes, and how much longer its last read may take. */
const [searchMs, lastReadMs] = [10_000, 5_000];

/**
 * Runs an operation within the time that `timeouts` of the given values allows. Then its requests end, and each error says
 * what raises the limit. A write that was being sent has an unknown outcome, as after a lost response.
 */
export async function withinTimeout<Call extends ClientCall<Account> & Recovery, Result>(
  operation: Operation,
  call: Call,
  values: Values | null,
  run: (limited: Call) => Promise<Result>,
): Promise<Result> {
  const { open } = call.client;
  const limit = (values?.timeouts as Values | null | undefined)?.[operation];
  if (!open || typeof limit !== "string") return run(call);
  const attribute = `\`timeouts.${operation}\``;
  const reason = `not finished within the ${limit} that ${attribute} allows: raise it to wait longer`;
  const limitTo = (ms: number) => {
    const deadline = new AbortController();
    const stop = open.system.startTimer(ms, () => deadline.abort(new Error(reason)));
    const signal = AbortSignal.any([call.signal, deadline.signal]);
    return { signal, open: open.limitTime(deadline.signal), stop };
  };
  const limited = limitTo(parseDuration(limit));
  const recovery = limitTo(parseDuration(limit) + (open.settings.settleMs ?? searchMs) + lastReadMs);
  try {
    return await run({ ...call, signal: limited.signal, client: { open: limited.open }, recovery });
  } finally {
    limited.stop();
    recovery.stop();
  }
}

const unitsMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** The ms of a duration as Go writes it, such as "1h30m"; NaN for any other text. */
function parseDuration(text: string): number {
  if (!/^(\d+(\.\d+)?(h|ms|m|s))+$/.test(text)) return Number.NaN;
  const parts = [...text.matchAll(/([\d.]+)([hms]+)/g)];
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (unitsMs[unit] ?? 0), 0);
}

function checkDuration(operation: string, value: Value): AttributeProblem[] {
  if (parseDuration(String(value)) > 0) return [];
  const summary = `timeouts.${operation} is not a duration`;
  return [{ summary, detail: 'Write numbers above 0 with units, such as "30s", "5m" or "1h30m".' }];
}
