import type { System } from "../../base/system/index.js";
import { listNames } from "../../base/text/index.js";
import { type Kind, type Listing, parseAddress } from "../kinds/index.js";
import type { Intent, State } from "../state/index.js";

type Listings = ReadonlyMap<string, Listing>;

export interface LostCreateWait {
  readonly state: State | undefined;
  /** Deadline of each lost create, by address (see `StateWriter`). */
  readonly recoverUntil: ReadonlyMap<string, number>;
  /** Addresses of creates whose declarations were removed. */
  readonly removed: ReadonlySet<string>;
  /** Maximum wait, in ms (default: unlimited). */
  readonly settleMs?: number | undefined;
  readonly system: System;
  readonly signal?: AbortSignal | undefined;
  /** Called when the number of missing creates changes. `why` lists them, and `forMs` is the longest remaining wait. */
  readonly onWait?: ((why: string, forMs: number) => void) | undefined;
  readonly read: (kinds: ReadonlySet<string>) => Promise<Listings>;
}

const firstPauseMs = 250;
const maxPauseMs = 4_000;

/**
 * Waits for creates of an interrupted run that the service may still be processing. Re-reads the lists until every
 * create has been found, or is missing from a list that was read after its deadline.
 *
 * @param listings Lists to start with, read at `readAtMs` (monotonic clock).
 * @returns The most recent lists.
 */
export async function awaitInterruptedCreates(
  wait: LostCreateWait,
  listings: Listings,
  readAtMs: number,
): Promise<Listings> {
  const { system, signal } = wait;
  const limitMs = system.monotonic() + (wait.settleMs ?? Number.POSITIVE_INFINITY);
  let newest = listings;
  let reported = 0;
  for (let [pauseMs, atMs] = [firstPauseMs, readAtMs]; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    const missing = findMissing(wait, newest)
      .map((intent) => ({
        ...intent,
        untilMs: Math.min(wait.recoverUntil.get(intent.address) ?? 0, limitMs),
      }))
      .filter(({ untilMs }) => untilMs > atMs);
    if (missing.length === 0) return newest;
    const leftMs = Math.max(...missing.map(({ untilMs }) => untilMs)) - system.monotonic();
    const addresses = listNames(
      missing.map(({ address }) => address),
      3,
    );
    if (missing.length !== reported)
      wait.onWait?.(`an interrupted run may still be creating ${addresses}`, leftMs);
    reported = missing.length;
    await system.sleep(Math.min(pauseMs, leftMs), signal);
    signal?.throwIfAborted();
    atMs = system.monotonic();
    const kinds = new Set(missing.flatMap(({ address }) => findAddressKind(address)?.name ?? []));
    newest = new Map([...newest, ...(await wait.read(kinds))]);
  }
}

/**
 * Finds creates whose objects are not listed yet. An incomplete list justifies no create, but a removed create is
 * forgotten regardless of its list. Creates that share a name all count as missing until the list shows a
 * new object for each of them.
 */
function findMissing({ state, removed }: LostCreateWait, listings: Listings): readonly Intent[] {
  const open = Object.values(state?.pending ?? {}).filter(
    ({ address, id }) =>
      id === undefined &&
      (removed.has(address) || listings.get(findAddressKind(address)?.name ?? "")?.complete),
  );
  const byName = new Map<string, Intent[]>();
  for (const intent of open) {
    const name = `${findAddressKind(intent.address)?.name} ${intent.label}`;
    byName.set(name, [...(byName.get(name) ?? []), intent]);
  }
  // Excludes recorded objects, because a superseding create reuses the name of the object that it supersedes.
  const recorded = Object.values(state?.objects ?? {}).flatMap(({ id, superseded = [] }) => [
    id,
    ...superseded.map((old) => old.id),
  ]);
  return [...byName.values()].flatMap((creates) => {
    const [{ address, label } = { address: "", label: "" }] = creates;
    const known = new Set([...recorded, ...creates.flatMap((create) => create.known)]);
    const listing = listings.get(findAddressKind(address)?.name ?? "");
    const named = listing?.findByLabel(label, ({ id }) => !known.has(id));
    return named?.outcome === "found" && named.found.length >= creates.length ? [] : creates;
  });
}

function findAddressKind(address: string): Kind | undefined {
  return parseAddress(address)?.kind;
}
