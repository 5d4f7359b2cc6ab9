import { setTimeout as sleep } from "node:timers/promises";
import type { Service } from "../api/index.js";
import type { Live, Spec } from "../kinds/index.js";
import type { Manifest } from "../manifest/index.js";
import type { SourceWorld } from "../secrets/index.js";
import type { State } from "../state/index.js";
import { findMade } from "./find.js";
import { candidateOf, type KindRoll, type Observation, type Observed } from "./observation.js";
import { type Refresh, readRolls, trusts } from "./rolls.js";
import { observeRotations } from "./rotation.js";
import { type Claims, claimsOf, labelOf, type Sought, soughtIn } from "./sought.js";

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
  const { manifest, state, service } = input;
  const sent = service.requests.total;
  const sought = soughtIn(manifest, state, input.targets);
  await awaitLostCreates(input, sought);
  const rolls = await readRolls(service, sought, input.refresh);
  const claims = claimsOf(manifest, state);
  const seen = await Promise.all(sought.map((one) => look(input, one, rolls, claims)));
  return {
    objects: new Map(sought.map((one, at) => [one.declaration.address, seen[at] as Observed])),
    rolls,
    rotations: await observeRotations(manifest, state, sought, input.sources),
    requests: service.requests.total - sent,
  };
}

async function look(
  input: ObserveInput,
  one: Sought,
  rolls: ReadonlyMap<string, KindRoll>,
  claims: Claims,
): Promise<Observed> {
  const roll = rolls.get(one.declaration.kind.name);
  if (one.intent && one.intent.id === undefined) return recover(input, one, roll, claims);
  return one.id === undefined ? find(input, one, roll, claims) : watch(input, one, one.id, roll);
}

/** An object whose id is known. */
async function watch(input: ObserveInput, one: Sought, id: string, roll?: KindRoll): Promise<Observed> {
  const { kind } = one.declaration;
  const listed = roll?.byId.get(id);
  if (listed?.live && input.refresh === "auto") return asLive(input, one, listed.live);
  const unmoved = listed?.updatedAt !== undefined && listed.updatedAt === one.entry?.inSyncAt;
  if (unmoved && trusts(one, input.refresh)) return { seen: "unmoved" };
  if (!kind.read) return listed?.live ? asLive(input, one, listed.live) : { seen: "unobservable" };
  // Also where a complete list lacks it: a list that changes while it is read may have lost it.
  const live = await kind.read(input.service, id);
  return live ? asLive(input, one, live) : { seen: "absent" };
}

/** An object without an id: adopted if exactly one in the account has its exact name, and it alone is after it. */
async function find(
  input: ObserveInput,
  one: Sought,
  roll: KindRoll | undefined,
  claims: Claims,
): Promise<Observed> {
  const { kind } = one.declaration;
  const label = labelOf(one.declaration);
  const matches = (roll?.byLabel.get(label) ?? []).filter(({ id }) => !claims.ids.has(id));
  const [match] = matches;
  if (!match) return { seen: "nothing" };
  const rivals = claims.labels.get(`${kind.name} ${label}`) ?? 0;
  if (matches.length > 1 || rivals > 1) return { seen: "several", candidates: matches.map(candidateOf) };
  const live = match.live ?? (await kind.read?.(input.service, match.id));
  return live ? asLive(input, one, live) : { seen: "nothing" };
}

/** An object whose creation was sent, perhaps, and never answered. */
async function recover(
  input: ObserveInput,
  one: Sought,
  roll: KindRoll | undefined,
  claims: Claims,
): Promise<Observed> {
  const { declaration, intent } = one;
  if (!intent) throw new Error(`Bug: nothing to recover at ${declaration.address}`);
  if (!roll) return { seen: "unclear", candidates: [] };
  const finding = await findMade(input.service, declaration.kind, intent, roll, claims.ids);
  if (finding.found) return { ...asLive(input, one, finding.found), recovered: true };
  if (finding.candidates.length > 0)
    return { seen: "unclear", candidates: finding.candidates.map(candidateOf) };
  return one.id === undefined ? find(input, one, roll, claims) : watch(input, one, one.id, roll);
}

/**
 * A request whose answer was lost may still be at work in the service. Before its absence is believed, it is given
 * this long from when it was sent; rarely a wait at all, since people take longer to run the next command.
 */
async function awaitLostCreates(input: ObserveInput, sought: readonly Sought[]): Promise<void> {
  const { settleMs = 10_000 } = input;
  const lost = sought.filter(
    ({ declaration, intent }) => intent && intent.id === undefined && declaration.kind.list,
  );
  const latest = Math.max(...lost.map(({ intent }) => Date.parse(intent?.at ?? "")));
  const waitMs = Math.min(latest + settleMs - input.now(), settleMs);
  if (!(waitMs > 0)) return;
  input.onWait?.("an interrupted create may still be at work in the service", waitMs);
  await sleep(waitMs, undefined, input.signal ? { signal: input.signal } : {});
}

function asLive({ service, now }: ObserveInput, { declaration }: Sought, live: Live) {
  const readAt = service.serverTime() ?? now();
  return {
    seen: "live" as const,
    live: { ...live, spec: sharing(live.spec, declaration.spec) },
    settled: isSettled(live.updatedAt, readAt),
  };
}

/**
 * Whether an `updated_at` may be trusted to change with the next edit: one younger than two seconds when it was read
 * may be shared by a later edit of the same instant (the problem of git's racy index).
 */
export function isSettled(updatedAt: string | undefined, readAtMs: number): boolean {
  return readAtMs - Date.parse(updatedAt ?? "") >= 2_000;
}

/** The same spec, holding the declared string wherever it is equal: ten thousand prompts are then held once. */
function sharing(live: Spec, declared: Spec): Spec {
  const entries = Object.entries(live).map(([name, value]) => [
    name,
    value === declared[name] ? declared[name] : value,
  ]);
  return Object.fromEntries(entries);
}
