import { UsageError } from "../../base/diagnostics/index.js";
import { listNames } from "../../base/text/index.js";
import type { Plan } from "../../core/engine/index.js";
import { suggestAddress } from "../../core/kinds/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import { type ApplyHold, listActiveHolds, type State, type StateWriter } from "../../core/state/index.js";
import { selectAddresses } from "../plan/plan.js";
import { readActor } from "../runtime/actor.js";
import type { Runtime } from "../runtime/runtime.js";
import { changeState } from "../state/state-changes.js";

export interface HoldOptions {
  readonly reason: string;
  /** End of the hold, as a time or a duration. Default: until it is released. */
  readonly until?: { readonly atMs: number } | { readonly inMs: number } | undefined;
  /** Addresses or patterns. Default: all objects, including future ones. */
  readonly addresses?: readonly string[];
}

const maxReasonLength = 500;

/**
 * Places a hold, so that apply, rollback and sync skip the objects.
 *
 * @throws UsageError without a state or a reason, or for an unknown address. @throws LockedError during an apply.
 */
export async function holdProject(
  runtime: Runtime,
  project: Manifest,
  { reason, until, addresses = [] }: HoldOptions,
): Promise<ApplyHold> {
  const nowMs = runtime.host.now();
  const untilMs = until && ("atMs" in until ? until.atMs : nowMs + until.inMs);
  if (reason.trim() === "" || reason.length > maxReasonLength)
    throw new UsageError(
      "usage",
      `The reason must be 1 to ${maxReasonLength} characters long. Example: --reason "checking responses".`,
    );
  if (untilMs !== undefined && untilMs <= nowMs)
    throw new UsageError("usage", "--until is in the past. Choose a later time.");
  return changeState(runtime, project, "hold", async (session, state) => {
    const named = selectAddresses(addresses, project, state);
    const hold: ApplyHold = {
      ...(named.length > 0 && { addresses: named }),
      reason: reason.trim(),
      ...(await signHold(runtime, project)),
      ...(untilMs !== undefined && { until: new Date(untilMs).toISOString() }),
    };
    session.describe({ held: hold });
    await session.setHolds([...listActiveHolds(state, nowMs), hold]);
    await session.commit();
    return hold;
  });
}

/** Returns the author and time of a new hold. */
async function signHold(
  runtime: Runtime,
  { root }: Pick<Manifest, "root">,
): Promise<Pick<ApplyHold, "by" | "since">> {
  const { user, host: machine = "unknown" } = await readActor(runtime, root);
  return { by: user ?? machine, since: new Date(runtime.host.now()).toISOString() };
}

/**
 * Releases the holds on these addresses, or the hold on all objects. Returns the released holds.
 *
 * @throws UsageError if an address is not on hold.
 */
export async function releaseProject(
  runtime: Runtime,
  project: Manifest,
  addresses: readonly string[] = [],
): Promise<readonly ApplyHold[]> {
  return changeState(runtime, project, "release", async (session, state) => {
    const holds = listActiveHolds(state, runtime.host.now());
    for (const address of addresses) assertHeld(address, holds, state);
    const named = holds.flatMap((hold) => hold.addresses ?? []);
    if (addresses.length === 0 && named.length > 0 && holds.every((hold) => hold.addresses))
      throw new UsageError(
        "not-held",
        `No hold covers all objects. Release the holds by address: \`avatarops release ${named.join(" ")}\`.`,
      );
    const [released, left] =
      addresses.length === 0
        ? [holds.filter((hold) => !hold.addresses), holds.filter((hold) => hold.addresses)]
        : partitionHolds(holds, (one) => addresses.includes(one));
    if (released.length > 0) {
      session.describe({ released });
      await session.setHolds(left);
    }
    await session.commit();
    return released;
  });
}

function assertHeld(address: string, holds: readonly ApplyHold[], { objects }: State): void {
  const held = holds.flatMap(({ addresses = [] }) => addresses);
  if (held.includes(address)) return;
  const candidates = Object.hasOwn(objects, address) ? [] : held;
  const message = holds.some(({ addresses }) => !addresses)
    ? `${address} has no hold of its own, but all objects are on hold. Release them: \`avatarops release\`.`
    : `${address} is not on hold. ${suggestAddress(address, candidates, "`avatarops plan` shows the holds.")}`;
  throw new UsageError("not-held", message);
}

/** Separates the holds on the requested addresses from other holds. */
function partitionHolds(
  holds: readonly ApplyHold[],
  isRequested: (address: string, hold: ApplyHold) => boolean,
): readonly [ApplyHold[], ApplyHold[]] {
  const restrictTo = (isWanted: boolean) =>
    holds.flatMap((hold): ApplyHold[] => {
      if (!hold.addresses) return isWanted ? [] : [hold];
      const addresses = hold.addresses.filter((address) => isRequested(address, hold) === isWanted);
      return addresses.length > 0 ? [{ ...hold, addresses }] : [];
    });
  return [restrictTo(true), restrictTo(false)];
}

/**
 * Places a hold on objects that the next apply of the files would change back. Called before a rollback writes.
 * Replaces earlier rollback holds on the same objects.
 */
export async function holdRolledBack(
  runtime: Runtime,
  project: Manifest,
  session: StateWriter,
  { addresses, serial }: { readonly addresses: readonly string[]; readonly serial: number },
): Promise<void> {
  if (addresses.length === 0) return;
  const hold: ApplyHold = {
    ...{ addresses, reason: `Rolled back to serial ${serial}`, restored: serial },
    ...(await signHold(runtime, project)),
  };
  const isReplaced = (address: string, { restored }: ApplyHold) =>
    restored !== undefined && addresses.includes(address);
  const [, left] = partitionHolds(listActiveHolds(session.state, runtime.host.now()), isReplaced);
  session.describe({ held: hold });
  await session.setHolds([...left, hold]);
}

/** Before an apply writes, releases rollback holds on objects whose restored values are now in the files. */
export async function releaseRollbackHolds(
  { host, output }: Runtime,
  session: StateWriter,
  { changes, basis }: Plan,
): Promise<void> {
  const planned = new Map(changes.map((change) => [change.address, change]));
  const isOver = (address: string, { restored }: ApplyHold): boolean => {
    const change = planned.get(address);
    if (restored === undefined) return false;
    // The object is neither declared nor in the state anymore.
    if (!change) return basis.targets === undefined;
    return change.action === "keep" && change.reason !== "converged";
  };
  const [released, left] = partitionHolds(listActiveHolds(session.state, host.now()), isOver);
  if (released.length === 0) return;
  session.describe({ released });
  await session.setHolds(left);
  const over = listNames(released.flatMap(({ addresses = [] }) => addresses));
  output.info(`The files contain the restored values, so the hold on ${over} has ended.`);
}

export function renameInHolds({ holds = [] }: State, from: string, to: string): readonly ApplyHold[] {
  return holds.map((hold) => {
    const { addresses } = hold;
    return addresses ? { ...hold, addresses: addresses.map((one) => (one === from ? to : one)) } : hold;
  });
}
