import type { ApplyInput } from "./apply-input.js";
import { inOrder } from "./in-order.js";
import type { Outcome, Result } from "./outcome.js";
import type { Change } from "./plan-value.js";
import { result } from "./result.js";
import { write } from "./write.js";

/**
 * Does what the plan says, exactly, and records it. Objects that do not depend on each other go on when one fails.
 * When `signal` asks to stop, nothing new is begun, what is in flight is finished and recorded, and the rest is
 * skipped (rule 8). Never throws for what the service does: that is the outcome. The state is committed whatever
 * happens.
 *
 * @throws StateError when the state cannot be written; what was done before is in the journal then.
 */
export async function apply(input: ApplyInput): Promise<Outcome> {
  const { plan, session, service, signal, on } = input;
  const before = { sent: service.requests.total, throttled: service.requests.throttled };
  await session.begin(service.baseUrl);
  const changes = plan.changes.filter(({ action }) => action !== "keep");
  for (const { action, entry, address } of plan.changes) {
    if (action !== "keep" || !entry) continue;
    // Knowledge refreshed by reading alone needs no journal, unless it ends an intent.
    if (session.state?.pending[address]) await session.settle(address, entry);
    else session.assume(address, entry);
  }
  let done = 0;
  const run = async (change: Change, failedBefore?: string) => {
    on?.({ type: "started", address: change.address, action: change.action, label: change.label });
    const ended = failedBefore
      ? skipped(
          change,
          "needs-another",
          `It takes the name that ${failedBefore} gives up, which did not happen.`,
        )
      : signal?.aborted
        ? skipped(change, "cancelled", "Not begun: the apply was asked to stop.")
        : await carryOut(input, change);
    done += 1;
    on?.({ type: "finished", result: ended, done, total: changes.length });
    return ended;
  };
  const results = await inOrder(changes, input.concurrency ?? 8, run).catch(async (error: unknown) => {
    // What was done is written even so, where it can be. If not, it is in the journal, and the first error says more.
    await session.commit().catch(() => undefined);
    throw error;
  });
  const state = await session.commit();
  return {
    results,
    kept: plan.changes.length - changes.length,
    cancelled: signal?.aborted ?? false,
    serial: state.serial,
    requests: service.requests.total - before.sent,
    throttled: service.requests.throttled - before.throttled,
  };
}

async function carryOut(input: ApplyInput, change: Change): Promise<Result> {
  const { session, overwriteDrift } = input;
  switch (change.action) {
    case "keep":
      throw new Error("Bug: a keep is not carried out");
    case "missing":
      return result(change, "failed", {
        problem: { code: "missing", message: change.notes[0] ?? "It does not exist." },
      });
    case "ambiguous":
      return skipped(
        change,
        "ambiguous",
        "More than one object could be meant; decide with import or --accept-duplicate.",
      );
    case "forget":
      await session.settle(change.address, undefined);
      return result(change, "applied", { notes: change.notes });
    case "adopt":
      if (change.fields.length > 0) return write(input, change);
      if (change.entry) await session.settle(change.address, change.entry);
      return result(change, "applied", {});
    default:
      if (change.overwrites && !overwriteDrift) return skipped(change, "drifted", drifted(change));
      return write(input, change);
  }
}

function drifted({ address }: Change): string {
  return `It was edited elsewhere since the last apply: take the edit with \`avatarops pull ${address}\`, or write over it with --overwrite-drift.`;
}

function skipped(change: Change, code: string, message: string): Result {
  return result(change, "skipped", { problem: { code, message } });
}
