import { guardWrites } from "../api/index.js";
import { actionFacts, listKinds, parseAddress, type Spec, type Value } from "../kinds/index.js";
import { openReferenceReader } from "../lifecycle/index.js";
import { SourceRun } from "../secrets/index.js";
import {
  type RecordedResult,
  type StateEntry,
  StateError,
  type StateWriter,
  type StoredValue,
} from "../state/index.js";
import type { ApplyContext } from "./apply-context.js";
import type { ApplyInput } from "./apply-input.js";
import { deleteSuperseded, remove } from "./delete-change.js";
import { recheckAfterFailure } from "./dependent-changes.js";
import { findUnreadableValues } from "./intent.js";
import { openIntentGroups } from "./intent-groups.js";
import { openListReader } from "./listings.js";
import type { UnresolvedSource } from "./observation.js";
import {
  createNotSentResult,
  createResult,
  createSkippedResult,
  createStoppedResult,
  createWithheldResult,
  type Outcome,
  type Result,
} from "./outcome.js";
import { type Change, isWithheld, type Plan } from "./plan-types.js";
import { runInOrder } from "./run-in-order.js";
import { toStoredSpec, toStoredValue } from "./stored-form.js";
import { openTimestampTracker } from "./timestamp-tracker.js";
import { collectClaims, readLabel } from "./tracked-declaration.js";
import { write } from "./write-change.js";

/**
 * Applies exactly the planned changes, and records each outcome even after a failure or abort (rule 8). Returns service
 * and store errors in the outcome.
 */
export async function apply(given: ApplyInput): Promise<Outcome> {
  if (given.sources.run) return applyWith(given);
  const run = new SourceRun();
  try {
    return await applyWith({ ...given, sources: { ...given.sources, run } });
  } finally {
    await run.close();
  }
}

async function applyWith(input: ApplyInput): Promise<Outcome> {
  // Writes nothing if a value cannot be read.
  const unread = await findUnreadableValues(input);
  if (unread.size > 0) return createNotStartedOutcome(input, unread);
  const { plan, session, signal, onEvent } = input;
  // Sends writes only while the lock is confirmed.
  const service = guardWrites(input.service, session.assertHeld);
  const before = { sent: service.requests.total, throttled: service.requests.throttled };
  await session.begin(service.baseUrl);
  const list = openListReader(service);
  const kindsOfProfile = listKinds(input.manifest.service.profile);
  session.describe({ plan: plan.digest, ...(plan.basis.targets && { partial: true }) });
  const applying: ApplyContext = {
    ...input,
    service,
    timestamps: openTimestampTracker(input),
    kinds: new Map(input.manifest.declarations.map(({ address, kind }) => [address, kind])),
    list,
    findUsers: openReferenceReader({ kinds: kindsOfProfile, service, list }),
    intents: openIntentGroups(session, service.concurrency, input.system),
    names: new Set(
      input.manifest.declarations.map((declaration) => `${declaration.kind.name} ${readLabel(declaration)}`),
    ),
    claimed: new Set([
      ...collectClaims(input.manifest, session.state).ids,
      ...plan.changes.flatMap(({ id = [], entry }) => [id, entry?.id ?? []].flat()),
    ]),
  };
  const changes = plan.changes.filter(({ action }) => action !== "keep");
  const found = findRecovered(applying);
  keepTexts(applying);
  recordUnchanged(applying);
  const inTurn = openTurns();
  let done = 0;
  const run = async (change: Change, failedBefore?: Result) => {
    onEvent?.({ type: "started", address: change.address, action: change.action, label: change.label });
    const ended = failedBefore
      ? recheckAfterFailure(applying, change, failedBefore)
      : await inTurn(change, async () =>
          signal?.aborted
            ? createStoppedResult(change)
            : applying.intents.runChange(change.address, () => applyRecorded(applying, change)),
        );
    done += 1;
    onEvent?.({ type: "finished", result: ended, done, total: changes.length });
    return ended;
  };
  const carried = await runInOrder(changes, maxInProgress, run).catch(async (error: unknown) => {
    // Commits the outcomes so far, even if a bug ends the run.
    await session.commit().catch(() => undefined);
    throw error;
  });
  const written = session.failure ? carried : await applying.timestamps.finish(carried);
  const results = [...found, ...written];
  const planned = new Map(changes.map((change) => [change.address, change]));
  session.describe({
    results: results.map((result) => toRecordedResult(applying, result, planned.get(result.address))),
  });
  const ending = await commit(session, results);
  return {
    ...withKept(plan, results),
    ...ending,
    cancelled: signal?.aborted ?? false,
    requests: service.requests.total - before.sent,
    throttled: service.requests.throttled - before.throttled,
  };
}

/**
 * Creates a function that runs creates of the same kind and name one after another. Otherwise, the search for the object
 * of a lost create could find the object of another one.
 */
function openTurns() {
  const last = new Map<string, Promise<Result>>();
  return ({ action, kind, label }: Change, work: () => Promise<Result>): Promise<Result> => {
    if (actionFacts[action].sends !== "create") return work();
    const key = `${kind} ${label}`;
    const turn = last.get(key)?.then(work, work) ?? work();
    last.set(key, turn);
    return turn;
  };
}

/** Applies a change, unless the store has failed. */
async function applyRecorded(input: ApplyContext, change: Change): Promise<Result> {
  const { session } = input;
  if (session.failure) return createNotSentResult(change);
  try {
    const ended = await applyChange(input, change);
    // Flushes the new id right away, because without a list, the object could not be found after a crash.
    const isCreated = ended.status === "applied" && actionFacts[change.action].sends === "create";
    if (isCreated && !input.kinds.get(change.address)?.list) await session.flush().catch(() => undefined);
    return ended;
  } catch (error) {
    // The error comes from a step before the request, so nothing was sent.
    if (session.failure && error instanceof StateError) return createNotSentResult(change);
    throw error;
  }
}

/** Commits the state. If the commit fails, returns the created objects that are not recorded. */
async function commit(
  session: StateWriter,
  results: readonly Result[],
): Promise<Pick<Outcome, "stopped" | "isRecorded" | "unrecorded" | "serial">> {
  const { failure } = session;
  try {
    await session.commit();
    const isCut = results.some(({ problem }) => problem?.code === "run-stopped");
    const stopped = isCut && failure ? toProblem(failure) : undefined;
    return { stopped, isRecorded: true, unrecorded: [], serial: session.state?.serial ?? 0 };
  } catch (error) {
    const unsaved = await session.saveOutcomes();
    const why = failure ?? (error as Error);
    const isLockLost = why instanceof StateError && why.code === "lock-lost";
    const lost = isLockLost ? await session.readLostLock() : undefined;
    const objects = lost?.isReplaced ? (lost.state?.objects ?? {}) : undefined;
    const unrecorded = results.flatMap(({ address, action, status, id }) => {
      const isCreated = status === "applied" && id !== undefined && actionFacts[action].sends === "create";
      // If the kind has a list, the next run finds the object there.
      const isListed = parseAddress(address)?.kind.list !== undefined;
      const isFound = objects ? objects[address]?.id === id : isLockLost && isListed;
      return isCreated && unsaved.has(address) && !isFound ? [{ address, id }] : [];
    });
    const serial = (lost?.state ?? session.state)?.serial ?? 0;
    return { stopped: toProblem(lost?.error ?? why), isRecorded: false, unrecorded, serial };
  }
}

function toProblem(error: Error): { readonly code: string; readonly message: string } {
  return { code: error instanceof StateError ? error.code : "state", message: error.message };
}

/**
 * Maximum number of changes in progress. Higher than the client's limit on parallel requests, so that the next group of
 * intents fills up during a write.
 */
const maxInProgress = 200;

/** Converts a result for the history. Omits messages, because they may quote the service. */
function toRecordedResult(
  input: ApplyContext,
  { address, action, status, problem }: Result,
  change: Change | undefined,
): RecordedResult {
  const overwritten = change?.overwrites && status === "applied" ? listEdits(input, change) : {};
  return {
    address,
    action,
    status,
    ...(change && { reason: change.reason }),
    ...(change && action === "delete" && { label: change.label }),
    ...(problem && { problem: problem.code }),
    ...(Object.keys(overwritten).length > 0 && { overwritten }),
  };
}

/** Returns the live values of fields that were edited elsewhere. */
function listEdits(
  { kinds, manifest }: ApplyContext,
  { address, fields }: Change,
): Record<string, StoredValue> {
  const kind = kinds.get(address) ?? parseAddress(address, manifest.service.profile)?.kind;
  const known = kind?.fields ?? {};
  const edits = fields.flatMap(({ field: name, cause, before }): [string, StoredValue][] => {
    const field = known[name];
    return field && cause !== "configured" ? [[name, toStoredValue(field, before as Value)]] : [];
  });
  return Object.fromEntries(edits);
}

function createNotStartedOutcome(
  { plan, session }: ApplyInput,
  unread: ReadonlyMap<string, UnresolvedSource>,
): Outcome {
  const others = "Not started, because a value for another change cannot be read.";
  const results = plan.changes
    .filter(({ action }) => action !== "keep")
    .map((change) => {
      const problem = unread.get(change.address);
      return problem
        ? createResult(change, "failed", { problem })
        : createSkippedResult(change, "not-started", others);
    });
  return {
    ...withKept(plan, results),
    isRecorded: true,
    unrecorded: [],
    cancelled: false,
    serial: session.state?.serial ?? 0,
    requests: 0,
    throttled: 0,
  };
}

/** Counts unread values as failures, because a missed rotation must not look like a successful one. */
function withKept(
  { changes, rollback }: Plan,
  results: readonly Result[],
): Pick<Outcome, "results" | "kept"> {
  const done = new Set(results.map(({ address }) => address));
  const kept = changes.filter(({ action, address }) => action === "keep" && !done.has(address));
  const unread = kept.filter((change) => change.unread);
  const failed = unread.map((change) =>
    createResult(change, "failed", { problem: { code: "unread-value", message: change.notes.join(" ") } }),
  );
  return { results: [...results, ...failed], kept: kept.length - unread.length + (rollback?.unchanged ?? 0) };
}

/**
 * Returns results that an interrupted run did not report, including writes that succeeded although their response was
 * lost.
 */
function findRecovered({ plan: { changes }, session: { recovered, state } }: ApplyContext): Result[] {
  const open = new Set(changes.flatMap(({ action, address }) => (action === "keep" ? [] : [address])));
  const unanswered = changes.flatMap(({ address, reason }) => {
    const intent = reason === "converged" && state?.pending[address];
    return intent ? [intent] : [];
  });
  return [...recovered, ...unanswered]
    .filter(({ address }) => !open.has(address))
    .map(({ address, action }) => {
      const { id } = state?.objects[address] ?? {};
      const notes = ["Done by an earlier run that was interrupted."];
      return { address, action, status: "applied", ...(id !== undefined && { id }), notes };
    });
}

/** Collects long texts for the history, both the declared ones and the live ones that they replace. */
function keepTexts({ plan, manifest, kinds, session: { keepText } }: ApplyContext): void {
  const declared = new Map(manifest.declarations.map(({ address, spec }) => [address, spec]));
  for (const { address, reason, fields } of plan.changes) {
    const kind = kinds.get(address) ?? parseAddress(address, manifest.service.profile)?.kind;
    if (reason === "unchanged" || !kind) continue;
    toStoredSpec(kind, declared.get(address) ?? {}, keepText);
    toStoredSpec(kind, pickKnownBefore(fields), keepText);
  }
}

/** Returns the fields' earlier values, except values known only by digest. */
function pickKnownBefore(fields: Change["fields"]): Spec {
  const known = fields.flatMap(({ field, before }): [string, Value][] =>
    before === undefined || (typeof before === "object" && "digest" in before) ? [] : [[field, before]],
  );
  return Object.fromEntries(known);
}

/** Saves updated state entries of objects that need no write. */
function recordUnchanged(input: ApplyContext): void {
  const { plan, session } = input;
  for (const { action, entry, address } of plan.changes) {
    if (action !== "keep" || !entry) continue;
    // A later run can read these values again, so they are journaled only to complete an open intent.
    if (session.state?.pending[address]) session.completeIntent(address, entry);
    else session.recordEntry(address, entry);
    noteUnsettled(input, address, entry);
  }
}

function noteUnsettled(
  { timestamps, manifest }: ApplyContext,
  address: string,
  { id, inSyncAt }: StateEntry,
): void {
  const kind = parseAddress(address, manifest.service.profile)?.kind;
  if (kind && inSyncAt === undefined) timestamps.recordRead(address, kind, id);
}

async function applyChange(input: ApplyContext, change: Change): Promise<Result> {
  const { session, overwriteDrift } = input;
  if (change.held !== undefined) return createWithheldResult(change, input.plan);
  switch (change.action) {
    case "keep":
      throw new Error("Bug: a keep has nothing to apply");
    case "missing":
      return createResult(change, "failed", {
        problem: { code: "missing", message: change.notes[0] ?? "It does not exist." },
      });
    case "unreadable":
      return createResult(change, "failed", {
        problem: { code: "unreadable", message: change.notes[0] ?? "It could not be read." },
      });
    case "ambiguous":
      return createSkippedResult(
        change,
        "ambiguous",
        change.reason === "shared-id" && change.notes[0]
          ? change.notes[0]
          : `${change.reason === "answer-lost" ? "The response to its create was lost, so it may or may not exist" : "Several objects match"}. Run \`avatarops plan\` to see a command for each choice.`,
      );
    case "protected":
      return createResult(change, "failed", {
        problem: { code: "protected", message: change.notes[0] ?? "It is protected." },
      });
    case "delete":
      if (isWithheld(change, overwriteDrift)) return createWithheldResult(change, input.plan);
      return change.supersededBy === undefined ? remove(input, change) : deleteSuperseded(input, change);
    case "forget":
      session.completeIntent(change.address, undefined);
      return createResult(change, "applied", { notes: change.notes });
    case "adopt":
      if (change.fields.length > 0) return write(input, change);
      if (change.entry) {
        session.completeIntent(change.address, change.entry);
        noteUnsettled(input, change.address, change.entry);
      }
      return createResult(change, "applied", {});
    case "create":
    case "update":
    case "supersede":
      if (isWithheld(change, overwriteDrift)) return createWithheldResult(change, input.plan);
      if (change.entry) session.completeIntent(change.address, change.entry);
      // A change without values to write affects only the state.
      return change.wanted ? write(input, change) : createResult(change, "applied", {});
  }
}
