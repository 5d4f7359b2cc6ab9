import type { Result } from "../../src/core/engine/index.js";
import type { State } from "../../src/core/state/index.js";
import type { Row } from "../../src/emulator/account.js";
import { describeEnd, type FinishedCommand } from "./commands.js";
import { getCollection, toAddress, toName } from "./files.js";
import { isHarmless, type Life, type Step } from "./life.js";
import type { Repository } from "./repository.js";
import { listKnownIds } from "./settle.js";
import { findCollection, nameOf, type Write } from "./simulated-service.js";
import { foreignHolder } from "./store-calls.js";
import type { World } from "./world.js";

export interface Violation {
  readonly rule:
    | "creates-once"
    | "overwrites-nothing"
    | "respects-holds"
    | "deletes-what-files-name"
    | "writes-with-lock"
    | "respects-locks"
    | "stops-with-store"
    | "forgets-nothing"
    | "settles"
    | "refuses-nothing"
    | "doubts-little"
    | "waits-briefly"
    | "ends"
    | "crashes";
  readonly what: string;
}

/** Maximum time until a writer notices that the store rejects its requests. */
const maxRefusedMs = 3_000;
/** Maximum age of a writer's last lock check. */
const leaseMs = 5_000;
/** Maximum number of concurrent requests per client. */
const maxUnderWay = 10;
/** Maximum command duration. A longer command counts as stuck. */
const maxRunMs = 2 * 3_600_000;

/** Result of a simulated life. */
interface Remains {
  readonly life: Life;
  readonly world: World;
  readonly repository: Repository;
  readonly ran: readonly FinishedCommand[];
  /** Last state. */
  readonly state: State | undefined;
  readonly isOthers?: boolean;
}

/** Checks the invariants that must hold after every simulated life. */
export function findViolations({ life, world, repository, ran, state, isOthers }: Remains): Violation[] {
  const violations: Violation[] = [];
  for (const write of world.service.writes) {
    const { row, process } = write;
    const resource = findCollection(write.path);
    if (row && write.method === "POST" && isDuplicate(world, resource, row, write.namesakes ?? []))
      violations.push({
        rule: "creates-once",
        what: `${process.name} creates ${nameOf(resource, row)} again: ${row.id} beside ${write.namesakes?.map(({ id }) => id).join(", ")}`,
      });
    if (write.formerName !== write.laterName)
      violations.push({
        rule: "overwrites-nothing",
        what: `${process.name} overwrites ${write.formerName} at ${write.path} with ${write.laterName}`,
      });
    if (isHeld(world, write, resource))
      violations.push({
        rule: "respects-holds",
        what: `${process.name} sends ${write.method} ${write.path} for an object on hold`,
      });
    if (row && write.method === "DELETE" && !isNamedByFiles(world, write, resource, row))
      violations.push({
        rule: "deletes-what-files-name",
        what: `${process.name} deletes ${nameOf(resource, row)} ${row.id}`,
      });
    const lostMs = measureLockLoss(world, write);
    if (lostMs > leaseMs)
      violations.push({
        rule: "writes-with-lock",
        what: `${process.name} sends ${write.method} ${write.path} ${lostMs} ms after it lost the lock`,
      });
    if (write.storeRefusesForMs > maxRefusedMs)
      violations.push({
        rule: "stops-with-store",
        what: `${process.name} sends ${write.method} ${write.path} ${write.storeRefusesForMs} ms after the store refused a step`,
      });
  }
  violations.push(...findLocksTaken({ life, world, ran }));
  const known = listKnownIds(state);
  const files = new Set(repository.versions.flatMap(({ objects }) => objects.map(({ key }) => toName(key))));
  for (const { method, path, row } of world.service.writes) {
    const resource = findCollection(path);
    if (method !== "POST" || !row || known.has(row.id) || isOthers) continue;
    const isThere = world.service.rows(resource).some(({ id }) => id === row.id);
    const isDeclared = repository.files.objects.some(({ key }) => toName(key) === nameOf(resource, row));
    if (isThere && isDeclared && files.has(nameOf(resource, row)))
      violations.push({
        rule: "forgets-nothing",
        what: `the state does not have ${nameOf(resource, row)} ${row.id}`,
      });
  }
  const mayBeUnknown = ran.reduce((sum, one) => sum + countUnknown(world, one), 0);
  for (const { step, process, ended, lost } of ran) {
    for (const { path, row } of lost)
      violations.push({
        rule: "forgets-nothing",
        what: `${process.name} ends without reporting ${row && nameOf(findCollection(path), row)} ${row?.id}`,
      });
    const errors = [ended?.error ?? [], ended?.cycleErrors ?? []].flat();
    const stops = [...errors, ended?.outcome?.stopped ?? []].flat();
    const isDamaged = life.steps.some(({ does }) => does === "damage-state");
    if (!isDamaged && stops.some((stop) => "code" in stop && stop.code === "conflict"))
      violations.push({
        rule: "respects-locks",
        what: `the state changes under the lock of ${process.name}`,
      });
    for (const error of errors.filter(isOurMistake))
      violations.push({ rule: "crashes", what: `${process.name} ${error.stack}` });
    if (ended && isHarmless(life) && isRefused(ended))
      violations.push({
        rule: "refuses-nothing",
        what: `${process.name} (${step.does}) ${describeEnd(ended)}`,
      });
    for (const waitMs of ended?.waitsMs ?? [])
      if (waitMs > (life.service.timeoutMs ?? 30_000) + leaseMs)
        violations.push({ rule: "waits-briefly", what: `${process.name} waits up to ${waitMs} ms` });
    const isDoubtful = ({ action, address }: Result) =>
      action === "ambiguous" && address.startsWith("secret.");
    const doubtful = ended?.outcome?.results.filter(isDoubtful) ?? [];
    if (doubtful.length > mayBeUnknown)
      violations.push({
        rule: "doubts-little",
        what: `${process.name} does not know whether ${doubtful.length} objects were created`,
      });
  }
  if (world.elapsedMs > maxRunMs * life.steps.length)
    violations.push({ rule: "ends", what: `the life took ${world.elapsedMs} ms` });
  return violations;
}

/** Whether an equivalent object with this name existed. A secret may return to an earlier value. */
function isDuplicate({ service }: World, resource: string, row: Row, namesakes: readonly Row[]): boolean {
  if (resource !== "secrets") return namesakes.length > 0;
  const { secretValues } = service.account;
  const latest = namesakes
    .flatMap(({ id }) => (service.ofPeople.has(id) ? [] : [id]))
    .toSorted()
    .at(-1);
  return latest !== undefined && secretValues.get(latest) === secretValues.get(row.id);
}

/** Whether the written object was on hold when the process started. No step forces a change past a hold. */
function isHeld({ processes }: World, { process, row, laterName }: Write, resource: string): boolean {
  const name = row ? nameOf(resource, row) : laterName;
  if (name === undefined) return false;
  const address = toAddress(name);
  const last = processes.findLast(
    ({ holds, releases, endedMs }) =>
      (holds === address || releases === address) && endedMs < process.startedMs,
  );
  return last?.holds === address;
}

/** Whether a process that deleted an object had read files that request the deletion. */
function isNamedByFiles(
  { service, processes }: World,
  { process }: Write,
  resource: string,
  row: Row,
): boolean {
  const isImported = processes.some(({ imports }) => imports === row.id);
  if (service.ofPeople.has(row.id) && !isImported) return false;
  const { files, repository } = process;
  const versions = repository?.versions ?? [];
  const name = nameOf(resource, row);
  const { secretValues } = service.account;
  const [, ofKey = name] = /^value \d+ of (\w+)$/.exec(secretValues.get(row.id) ?? "") ?? [];
  const isOne = ({ key }: { readonly key: string }) => key === ofKey && getCollection(key) === resource;
  const now = files?.objects.find(isOne);
  const last = files ? versions.indexOf(files) : 0;
  if (!now)
    return versions
      .slice(0, last + 1)
      .some(({ objects }) => objects.some((one) => isOne(one) && one.deletes));
  const isLatest = secretValues.get(row.id) === `value ${findLatest(secretValues, ofKey)} of ${ofKey}`;
  return resource === "secrets" && now.deletes === true && !isLatest;
}

function findLatest(values: ReadonlyMap<string, string>, name: string): number {
  return [...values.values()].reduce((latest, value) => {
    const [, number, of] = /^value (\d+) of (\w+)$/.exec(value) ?? [];
    return of === name ? Math.max(latest, Number(number)) : latest;
  }, 0);
}

/** Finds locks taken from a running process. Only `sync` processes may take each other's locks, after a delay. */
function findLocksTaken({ life, world, ran }: Pick<Remains, "life" | "world" | "ran">): Violation[] {
  const { processes } = world;
  const { changes } = world.store;
  const ofHolder = (holder: string | undefined) =>
    processes.find(({ name }) => holder?.startsWith(`${name}-`) === true);
  return changes.flatMap(({ atMs, holder }, at): Violation[] => {
    const before = changes[at - 1]?.holder;
    const [owner, taker] = [ofHolder(before), ofHolder(holder)];
    if (!taker || owner === taker) return [];
    const isTaken = before === foreignHolder || (owner !== undefined && owner.endedMs > atMs);
    if (!isTaken) return [];
    const step = ran.find(({ process }) => process === taker)?.step;
    const what = `${taker.name} takes the lock of ${owner?.name ?? before}`;
    if (owner?.command !== "sync" || step?.does !== "sync") return [{ rule: "respects-locks", what }];
    const waitedMs = atMs - Math.max(changes[at - 1]?.atMs ?? 0, taker.startedMs);
    const hasOwnName = owner.machine.host === taker.machine.host;
    if (waitedMs >= findTakeOverDelay(step, life.service, hasOwnName)) return [];
    return [{ rule: "respects-locks", what: `${what} after only ${waitedMs} ms` }];
  });
}

/** Returns how long (in ms) a `sync` must observe another replica's lock before it may take over. */
function findTakeOverDelay(
  { takeOverAfterMs }: Extract<Step, { readonly does: "sync" }>,
  { timeoutMs = 30_000 }: Life["service"],
  hasOwnName: boolean,
): number {
  if (takeOverAfterMs === 0) return Number.POSITIVE_INFINITY;
  return hasOwnName ? Math.min(takeOverAfterMs, timeoutMs + leaseMs) : takeOverAfterMs;
}

/** Returns how long before a write the process lost the lock, in ms, or 0 if it still owned the lock. */
function measureLockLoss({ store: { changes } }: World, { process, sentMs }: Write): number {
  const isOwn = (holder: string | undefined) => holder?.startsWith(`${process.name}-`) === true;
  let lostMs: number | undefined = process.startedMs;
  for (const { atMs, holder } of changes) {
    if (atMs > sentMs) break;
    if (isOwn(holder)) lostMs = undefined;
    else lostMs ??= atMs;
  }
  return lostMs === undefined ? 0 : sentMs - lostMs;
}

/** Returns the maximum number of creates whose outcome may be unknown to the next process. */
function countUnknown({ service }: World, { step, process, ended }: FinishedCommand): number {
  if (step.does === "sync" || !ended || ended.error || ended.outcome?.stopped) return maxUnderWay;
  const isUnknown = ({ isAcknowledged, status = 500 }: Write) => !isAcknowledged || status >= 500;
  return service.writes.filter((one) => one.process === process && isUnknown(one)).length;
}

/** Whether an error is a bug in avatarops that users cannot fix. */
function isOurMistake({ name, message }: Error): boolean {
  return message.startsWith("Bug:") || ["TypeError", "RangeError", "ReferenceError", "Error"].includes(name);
}

function isRefused({ error, outcome, cycleErrors = [] }: NonNullable<FinishedCommand["ended"]>): boolean {
  // A locked state does not count for `sync`, which retries on its own.
  if (error || cycleErrors.some((each) => !("code" in each) || each.code !== "locked")) return true;
  return outcome?.results.some(({ status }) => status !== "applied") ?? false;
}
