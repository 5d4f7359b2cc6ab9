import { UsageError } from "../../base/diagnostics/index.js";
import type { Service } from "../../core/api/index.js";
import { type Change, type MergeFavor, type Observation, toStoredSpec } from "../../core/engine/index.js";
import { areValuesEqual, type RemoteObject, type Value } from "../../core/kinds/index.js";
import { type Declaration, loadManifest, type Manifest } from "../../core/manifest/index.js";
import type { State, StateEntry, StateWriter } from "../../core/state/index.js";
import { assertKnownAddress, makePlan } from "../plan/plan.js";
import { withService } from "../project/connect.js";
import { toLoadOptions } from "../project/open-project.js";
import { findUncommitted } from "../project/uncommitted.js";
import type { Project } from "../runtime/project.js";
import { runInFolder } from "../runtime/run-in-folder.js";
import type { Runtime } from "../runtime/runtime.js";
import { readState, withLock } from "../state/project-store.js";
import { describeNoState } from "../state/state-changes.js";
import { type ListedState, readEntryTimestamps } from "./entries-with-timestamps.js";
import {
  type FieldToWrite,
  findField,
  type PreparedEdit,
  partitionByRefusal,
  type RefusedEdit,
} from "./field-to-write.js";
import { mergeField } from "./merge-field.js";
import { getLiveValue, type PreparedEdits, prepareEdits, removeShared, writeEdits } from "./prepare-edits.js";

export interface PullOptions {
  /** Addresses. Default: all drifted objects. */
  readonly named?: readonly string[];
  /** Whether to report the edits without writing files. */
  readonly dryRun?: boolean | undefined;
  /** Whether to keep edits to shared text from changing other objects, if possible. */
  readonly onlyThisObject?: boolean;
  /**
   * How to resolve lines that changed in both the files and the account. By default, pull refuses to merge such fields.
   */
  readonly favor?: MergeFavor | undefined;
  /**
   * Confirms edits that change other texts, or that drop a value from the files. By default, these edits are refused.
   */
  readonly approve?: ConfirmEdits | undefined;
  /**
   * Whether `approve` asks a user. If so, it is called without the lock, and confirms only the edits that it received.
   */
  readonly asks?: boolean | undefined;
}

type ConfirmEdits = (questionable: readonly QuestionableEdit[]) => boolean | Promise<boolean>;

/** Edit that is written only after a confirmation. */
export interface QuestionableEdit extends PreparedEdit {
  /**
   * Set if the edit drops a value from the files: an uncommitted one, an unapplied one outside a repository, or one
   * that is committed but not applied.
   */
  readonly droppedValue?: "uncommitted" | "no-repository" | "unapplied";
}

/** Writes edits made elsewhere back into the files. Merges them into values that also changed in the files. */
export async function pullProject(
  runtime: Runtime,
  project: Project,
  options: PullOptions,
): Promise<PreparedEdits> {
  const { approve, asks = false, dryRun } = options;
  const decide: ConfirmEdits = (edits) => edits.length > 0 && (approve?.(edits) ?? false);
  if (dryRun) {
    const state = await readState(runtime, project);
    return withService(runtime, project, async (service) => {
      const { fields, refused } = await prepare(runtime, project, state, service, { ...options, decide });
      return { fields, refused };
    });
  }
  const pull = (given: ConfirmEdits) =>
    withLock(runtime, project, "pull", (session) =>
      withService(runtime, project, async (service) => {
        const how = { ...options, decide: given };
        const { objects, ...edits } = await prepare(runtime, project, session.state, service, how);
        return runtime.runToEnd(() => writePulled(runtime, project, session, service, edits, objects));
      }),
    );
  if (!asks) return pull(decide);
  let shown: readonly QuestionableEdit[] = [];
  try {
    return await pull((edits) => {
      if (edits.length === 0) return false;
      shown = edits;
      throw new UndecidedError();
    });
  } catch (error) {
    if (!(error instanceof UndecidedError)) throw error;
  }
  // Asks without the lock, so that other runs are not blocked.
  const isApproved = await decide(shown);
  return pull((edits) => {
    if (toComparable(edits) === toComparable(shown)) return isApproved;
    throw new UsageError(
      "stale-plan",
      "Nothing was pulled, because the account or the files changed during the confirmation. Re-run the command.",
    );
  });
}

/** Thrown to release the lock while the user decides. */
class UndecidedError extends Error {}

function toComparable(edits: readonly QuestionableEdit[]): string {
  return JSON.stringify(
    edits.map(({ declaration: { address, spec }, field, value, others, droppedValue }) => [
      ...[address, field, value, spec[field], others, droppedValue],
    ]),
  );
}

/** Prepares the edits made elsewhere. For a named object without any, prepares all differences from the files. */
async function prepare(
  runtime: Runtime,
  manifest: Manifest,
  state: State | undefined,
  service: Service,
  { named = [], onlyThisObject = false, favor, decide }: PullOptions & { readonly decide: ConfirmEdits },
): Promise<PreparedEdits & Pick<Observation, "objects">> {
  for (const address of named) assertKnownAddress(address, manifest, state);
  if (!state && named.length === 0) runtime.output.info(describeNoState(manifest));
  const { plan, observation } = await makePlan(runtime, { manifest, state, service, targets: named });
  const declared = new Map(manifest.declarations.map((declaration) => [declaration.address, declaration]));
  const requested = plan.changes.map((change) => {
    const merge = (field: FieldToWrite) => mergeField(field, plan, favor);
    const isNamed = named.includes(change.address);
    const takesLive = isNamed && favor !== "ours";
    return selectFields(observation, { isNamed, takesLive }, change, declared.get(change.address), merge);
  });
  const edited = requested.flatMap(({ fields }) => fields);
  let prepared = await prepareEdits(edited, manifest, onlyThisObject);
  const kept = requested.flatMap(({ replacing }) => replacing);
  const dropped = await findDropped(runtime, manifest, kept);
  const toKey = ({ declaration, field }: FieldToWrite) => `${declaration.address} ${field}`;
  const lost = new Set(dropped.fields.map(toKey));
  // With an option such as --theirs, the user has already decided about a committed value.
  const unapplied = kept.filter(
    ({ merge, declaration: { address, spec }, field }) =>
      !merge && spec[field] !== undefined && !isRolledBack(state, address),
  );
  const unappliedKeys = new Set(unapplied.map(toKey));
  const findDroppedValue = (field: FieldToWrite) =>
    lost.has(toKey(field)) ? dropped.droppedValue : unappliedKeys.has(toKey(field)) ? "unapplied" : undefined;
  const questionable = prepared.fields.flatMap((edit): QuestionableEdit[] => {
    const droppedValue = findDroppedValue(edit);
    if (droppedValue) return [{ ...edit, droppedValue }];
    return (edit.others ?? []).length > 0 ? [edit] : [];
  });
  if (!(await decide(questionable)) && questionable.length > 0) {
    const safe = partitionByRefusal(edited, (field) => {
      const droppedValue = findDroppedValue(field);
      return droppedValue && dropAdvice[droppedValue];
    });
    prepared = await prepareEdits(safe.fields, manifest, onlyThisObject);
    prepared = await removeShared(prepared, manifest, onlyThisObject);
    prepared = { ...prepared, refused: [...safe.refused, ...prepared.refused] };
  }
  const refused = [...requested, prepared].flatMap((one) => one.refused);
  const pull = await rejectFilesEditedMeanwhile(runtime, { fields: prepared.fields, refused });
  return { ...pull, objects: observation.objects };
}

const dropAdvice = {
  uncommitted:
    "Pulling would drop an uncommitted edit in the file. Commit the edit first, or drop it with --auto-approve.",
  "no-repository":
    "Pulling would drop a value that is not applied yet, and the files are not in a git repository. Copy the value elsewhere first, or drop it with --auto-approve.",
  unapplied:
    "Pulling would drop a committed value that is not applied yet. Apply it first, or drop it with --auto-approve.",
} as const;

interface DroppedEdits<Field> {
  readonly droppedValue: NonNullable<QuestionableEdit["droppedValue"]>;
  readonly fields: readonly Field[];
}

/**
 * Finds the fields whose declared value would be lost, because the checked-out commit does not contain it.
 *
 * @param fields Fields whose declared value differs from the last applied one.
 * @returns outside a repository, all fields with a declared value.
 */
async function findDropped<Field extends FieldToWrite>(
  runtime: Runtime,
  manifest: Manifest,
  fields: readonly Field[],
): Promise<DroppedEdits<Field>> {
  const uncommitted = await findUncommitted(runtime, manifest, fields);
  if (uncommitted === "no-repository")
    return {
      droppedValue: "no-repository",
      fields: fields.filter(({ declaration: { spec }, field }) => spec[field] !== undefined),
    };
  return { droppedValue: "uncommitted", fields: uncommitted };
}

/** Writes the files before the state. If writing the state fails, the next plan finds that both sides already match. */
async function writePulled(
  runtime: Runtime,
  { root }: Manifest,
  session: StateWriter,
  service: Service,
  planned: PreparedEdits,
  objects: Observation["objects"],
): Promise<PreparedEdits> {
  if (planned.fields.length === 0) return planned;
  const { fields, refused } = await runInFolder(root, () => writeEdits(root, planned));
  const pull = { fields, refused };
  if (fields.length === 0) return pull;
  await session.begin(service.baseUrl);
  const inSync: ListedState[] = [];
  const refusedAddresses = new Set(refused.map(({ address }) => address));
  const names = new Map<Declaration, string[]>();
  for (const { declaration, field } of fields)
    names.set(declaration, [...(names.get(declaration) ?? []), field]);
  for (const [declaration, own] of names) {
    const { address, kind } = declaration;
    const observed = objects.get(address);
    if (observed?.seen !== "live") throw new Error(`Bug: ${address} was not read`);
    const { id, updatedAt } = observed.live;
    // If an edit was refused, records no timestamp, so that the next plan compares the object again.
    const isWhole = !refusedAddresses.has(address);
    const inSyncAt = observed.hasReliableTimestamp && isWhole ? updatedAt : undefined;
    const entry = createEntryAfter(declaration, own, observed.live, inSyncAt, session);
    session.completeIntent(address, entry);
    if (isWhole) inSync.push({ address, kind, id, updatedAt, entry });
  }
  const settled = await readEntryTimestamps(runtime, service, inSync);
  for (const [address, entry] of settled) session.recordEntry(address, entry);
  await session.commit();
  return pull;
}

/** Rejects edits to files that changed since they were loaded. */
async function rejectFilesEditedMeanwhile(
  runtime: Runtime,
  { fields, refused }: PreparedEdits,
): Promise<PreparedEdits> {
  const { manifest: now } = await loadManifest(toLoadOptions(runtime));
  const declared = new Map(now?.declarations.map((declaration) => [declaration.address, declaration]));
  const kept = partitionByRefusal(fields, (field) => {
    const { address, spec } = field.declaration;
    const again = declared.get(address);
    return again && areValuesEqual(findField(field), spec[field.field], again.spec[field.field])
      ? undefined
      : "The file changed in the meantime. Re-run the command.";
  });
  return { fields: kept.fields, refused: [...refused, ...kept.refused] };
}

/** Builds the state entry after a pull, with the live values of the pulled fields. */
function createEntryAfter(
  { address, kind, spec }: Declaration,
  fields: readonly string[],
  live: RemoteObject,
  inSyncAt: string | undefined,
  { state, keepText }: StateWriter,
): StateEntry {
  // Also stores the texts of fields that were not pulled, because the files still contain them.
  toStoredSpec(kind, spec, keepText);
  const known = state?.objects[address]?.id === live.id ? state.objects[address] : undefined;
  const names = known ? fields : Object.keys(spec);
  const values = names.map((name): [string, Value] => [name, live.spec[name] ?? ""]);
  const { inSyncAt: _before, ...kept } = known ?? {};
  return {
    ...kept,
    id: live.id,
    applied: { ...known?.applied, ...toStoredSpec(kind, Object.fromEntries(values), keepText) },
    ...(inSyncAt ? { inSyncAt } : {}),
  };
}

interface SelectedEdits {
  readonly fields: readonly FieldToWrite[];
  /** Fields whose pulled value replaces a change made in the files since the last apply. */
  readonly replacing: readonly FieldToWrite[];
  readonly refused: readonly RefusedEdit[];
}

/** Returns whether the account has an older version than the files, because of a rollback. */
function isRolledBack(state: State | undefined, address: string): boolean {
  return (state?.holds ?? []).some(
    ({ restored, addresses }) => restored !== undefined && addresses?.includes(address),
  );
}

/**
 * Selects the fields to pull from a change. `merge` handles fields that also changed in the files. `takesLive` also
 * selects objects without dashboard edits.
 */
function selectFields(
  observation: Observation,
  { isNamed, takesLive }: { readonly isNamed: boolean; readonly takesLive: boolean },
  change: Change,
  declaration: Declaration | undefined,
  merge: (field: FieldToWrite) => FieldToWrite | RefusedEdit,
): SelectedEdits {
  const { address } = change;
  const observed = observation.objects.get(address);
  if (!declaration || observed?.seen !== "live") {
    // Unreadable objects are always reported, because they may have drifted.
    const reason =
      isNamed || observed?.seen === "unreadable" ? explainUnseen(change, declaration) : undefined;
    return { fields: [], replacing: [], refused: reason === undefined ? [] : [{ address, reason }] };
  }
  const { live } = observed;
  const edited = change.fields.filter(({ cause }) => cause !== "configured");
  // An object may differ only because its files changed, for example after a rollback.
  const chosen = takesLive && edited.length === 0 ? change.fields : edited;
  // Excludes settings, which exist only in the files, and references, which the files declare by name instead of id.
  const taken = chosen.filter(({ type, field }) => type !== "reference" && field in declaration.kind.fields);
  const merged = taken.map(({ field, cause }) => {
    const one = { declaration, field, value: getLiveValue(declaration.kind, live, field) };
    return cause === "conflicting" ? merge(one) : { ...one, cause };
  });
  const fields = merged.filter((one): one is FieldToWrite & { cause?: string } => "declaration" in one);
  const references = chosen
    .filter(({ type }) => type === "reference")
    .map(({ field }) => ({ address, field, reason: toReference(live.spec[field]) }));
  const replacing = fields.filter(({ cause, merge }) => (merge ? merge.dropsYours : cause === "configured"));
  return { fields, replacing, refused: [...merged.filter((one) => "reason" in one), ...references] };
}

function toReference(id: Value | undefined): string {
  return id
    ? `This reference now points to the object ${id}. In the file, replace it with the name of that object's declaration.`
    : "The reference was removed in the account. Remove the field from the file.";
}

/** Explains why an object has no live text to pull. Returns undefined if it has no changes. */
function explainUnseen(
  { action, reason, notes }: Change,
  declaration: Declaration | undefined,
): string | undefined {
  if (!declaration) return "The files do not declare it.";
  if (action === "keep" && reason === "unchanged") return undefined;
  if (action === "create" || action === "missing") return "The account has no such object.";
  if (action === "unreadable" || reason === "shared-id") return notes[0];
  if (action === "ambiguous") return "Several objects match. `avatarops plan` shows the candidates.";
  return `The service cannot read objects of the kind ${declaration.kind.name}.`;
}
