import { setTimeout as sleep } from "node:timers/promises";
import type { Service } from "../api/index.js";
import { type Finding, findMade, type Kind, type KindRoll, parseAddress } from "../kinds/index.js";
import type { Manifest } from "../manifest/index.js";
import type { SourceWorld } from "../secrets/index.js";
import type { State } from "../state/index.js";
import { atMost, readsAtOnce } from "./at-most.js";
import { madeBy } from "./find.js";
import { look } from "./look.js";
import type { Observation, Observed } from "./observation.js";
import { type Refresh, readRolls } from "./rolls.js";
import { observeRotations } from "./rotation.js";
import { claimsOf, type Sought, soughtIn } from "./sought.js";
import { findSuccessors } from "./succeed.js";
import { type Attempt, attempting, naming, type Unreadable, wayOut } from "./unreadable.js";

/** What observing needs. */
export interface ObserveInput {
  readonly manifest: Manifest;
  /** The state with its journal folded in; undefined before the first apply. */
  readonly state: State | undefined;
  /** A client that can only GET (rule 1). */
  readonly service: Service;
  /** Where the values of secrets are looked up, to see whether they changed. */
  readonly sources: SourceWorld;
  readonly refresh: Refresh;
  /** Only these addresses. */
  readonly targets?: readonly string[];
  /** Read the list of every kind whole: see `undeclaredIn`. */
  readonly undeclared?: boolean;
  readonly now: () => number;
  readonly signal?: AbortSignal;
  /** How long a lost create may take to show; see {@link awaitLostCreates}. */
  readonly settleMs?: number;
  readonly onWait?: (why: string, forMs: number) => void;
}

/**
 * Reads what is live of everything declared, with as few requests as can be (rule 7), and looks for objects whose
 * creation was interrupted. The only reading of the service there is; sends nothing but GET.
 *
 * @throws ServiceError when the service cannot be read.
 */
export async function observe(input: ObserveInput): Promise<Observation> {
  const { manifest, state, service, refresh, now } = input;
  const sent = service.requests.total;
  const startedMs = now();
  const sought = soughtIn(manifest, state, input.targets);
  const read = () => readRolls(service, sought, refresh, input.undeclared);
  let rolls = await read();
  if (await awaitLostCreates(input, rolls)) rolls = await read();
  const { ids, labels } = claimsOf(manifest, state);
  const attempt = attempting();
  const findings = await findLost(service, sought, rolls, ids, attempt);
  const recovered = [...findings.values()].flatMap((one) => ("found" in one ? (one.found?.id ?? []) : []));
  const claims = { ids: new Set([...ids, ...recovered]), labels };
  const askedAtMs = (service.serverTime() ?? now()) - (now() - startedMs);
  const world = { service, refresh, claims, askedAtMs, wholeRoll: wholeRolls(service, sought) };
  const seen = await atMost(readsAtOnce, sought, async (one): Promise<Observed> => {
    const { address, kind } = one.declaration;
    const roll = rolls.get(kind.name);
    const finding = findings.get(address);
    if (finding && "seen" in finding) return finding;
    return attempt(address, () =>
      look({ ...world, ...(roll ? { roll } : {}), ...(finding ? { finding } : {}) }, one),
    );
  });
  refuseBlindness(sought, seen);
  const gone = sought.filter((_, at) => seen[at]?.seen === "absent");
  const successors = await findSuccessors(service, gone, rolls, world, attempt);
  return {
    objects: new Map(
      sought.map(({ declaration: { address } }, at) => [
        address,
        successors.get(address) ?? (seen[at] as Observed),
      ]),
    ),
    rolls,
    rotations: await observeRotations(manifest, state, sought, input.sources),
    requests: service.requests.total - sent,
  };
}

/**
 * A request whose answer was lost may still be at work in the service. Before its absence is believed, it is given
 * this long from when it was sent; rarely a wait at all, since people take longer to run the next command. Also where
 * its address has left the files: another may be about to take its name. Tells whether it waited.
 */
async function awaitLostCreates(
  { state, settleMs = 10_000, signal, ...input }: ObserveInput,
  rolls: ReadonlyMap<string, KindRoll>,
): Promise<boolean> {
  const lost = Object.values(state?.pending ?? {}).filter(({ address, id, label, known }) => {
    const roll = rolls.get(parseAddress(address)?.kind.name ?? "");
    return (
      id === undefined &&
      roll?.complete &&
      (roll.byLabel.get(label) ?? []).every((one) => known.includes(one.id))
    );
  });
  const latest = lost.reduce((last, { at }) => Math.max(last, Date.parse(at)), Number.NEGATIVE_INFINITY);
  // The clock the intent was dated by.
  const nowMs = input.service.serverTime() ?? input.now();
  const waitMs = Math.min(latest + settleMs - nowMs, settleMs);
  if (!(waitMs > 0)) return false;
  input.onWait?.("an interrupted create may still be at work in the service", waitMs);
  await sleep(waitMs, undefined, signal ? { signal } : {});
  return true;
}

/** Looks for what unanswered creates made, by address; an object that two could have made is nobody's. */
async function findLost(
  service: Service,
  sought: readonly Sought[],
  rolls: ReadonlyMap<string, KindRoll>,
  claimed: ReadonlySet<string>,
  attempt: Attempt,
): Promise<ReadonlyMap<string, Finding | Unreadable>> {
  const lost = sought.flatMap(({ declaration: { address, kind }, intent }) =>
    intent && intent.id === undefined ? [{ address, kind, intent }] : [],
  );
  const findings = await atMost(
    readsAtOnce,
    lost,
    async ({ address, kind, intent }): Promise<Finding | Unreadable> => {
      const roll = rolls.get(kind.name);
      if (!roll) return { found: undefined, candidates: [] };
      return attempt(address, () => findMade(service, kind, madeBy(kind, intent, claimed), roll));
    },
  );
  const idOf = (one: Finding | Unreadable) => ("found" in one ? one.found?.id : undefined);
  const isDisputed = (id: string) => findings.filter((one) => idOf(one) === id).length > 1;
  return new Map(
    lost.map(({ address }, at): [string, Finding | Unreadable] => {
      const finding = findings[at] as Finding | Unreadable;
      const found = "found" in finding ? finding.found : undefined;
      return [address, found && isDisputed(found.id) ? { found: undefined, candidates: [found] } : finding];
    }),
  );
}

/** Where none of the objects can be read, there is nothing to go on with. */
function refuseBlindness(sought: readonly Sought[], seen: readonly Observed[]): void {
  const [first] = seen;
  const [one] = sought;
  if (!one || first?.seen !== "unreadable" || seen.some((each) => each.seen !== "unreadable")) return;
  const { address } = one.declaration;
  const error = naming(first.error, address);
  if (one.entry) error.message = `${error.message} ${wayOut(address)}`;
  throw error;
}

/** The whole list of a kind, each read once and only when it is asked for. */
function wholeRolls(
  service: Service,
  sought: readonly Sought[],
): (kind: Kind) => Promise<KindRoll | undefined> {
  const read = new Map<Kind, Promise<KindRoll | undefined>>();
  return (kind) => {
    const some = sought.filter(({ declaration }) => declaration.kind === kind);
    const roll = read.get(kind) ?? readRolls(service, some, "full").then((rolls) => rolls.get(kind.name));
    read.set(kind, roll);
    return roll;
  };
}
