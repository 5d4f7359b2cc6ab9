import type { Service } from "../core/api/index.js";
import { type Change, type Observation, toStoredSpec } from "../core/engine/index.js";
import { sameValue, type Value } from "../core/kinds/index.js";
import { type Declaration, loadManifest, type Manifest, writeBack } from "../core/manifest/index.js";
import type { Entry, State, StateSession } from "../core/state/index.js";
import { withService } from "./connect.js";
import { inFolder } from "./folder.js";
import { toLoadOptions } from "./open-project.js";
import { makePlan, refuseUnknownAddress } from "./plan.js";
import type { Project } from "./project.js";
import { openProjectStore, withLock } from "./project-store.js";
import {
  type FieldToWrite,
  fieldFacts,
  type LiveField,
  liveValue,
  type PreparedEdits,
  type Pull,
  type PullField,
  placeAll,
  type Refusal,
  refuseSome,
  toEdits,
  withoutRefused,
  withoutShared,
} from "./pull-places.js";
import { entriesWithTimestamps, type ListedState } from "./reread.js";
import type { Runtime } from "./runtime.js";

/** What to pull. */
export interface PullOptions {
  /** The objects; none: all that drifted. */
  readonly named?: readonly string[];
  /** Nothing is written. */
  readonly dryRun?: boolean | undefined;
  /** Edits that would change other texts are written for the object alone, where that can be. */
  readonly here?: boolean;
  /** Whether to write edits that do change others, which they name; absent: they are refused. */
  readonly approve?: ((shared: readonly PullField[]) => boolean | Promise<boolean>) | undefined;
}

/** Writes edits made elsewhere back into the files. */
export async function pullProject(runtime: Runtime, project: Project, options: PullOptions): Promise<Pull> {
  if (options.dryRun) {
    const snapshot = await openProjectStore(runtime, project).read();
    return withService(runtime, project, (service) =>
      prepare(runtime, project, snapshot?.state, service, options),
    );
  }
  return withLock(runtime, project, "pull", (session) =>
    withService(runtime, project, async (service) => {
      const pull = await prepare(runtime, project, session.state, service, options);
      return runtime.finishing(() => writePulledFields(runtime, project, session, service, pull));
    }),
  );
}

/** What to pull: all that drifted, or everything that differs for the objects named. */
async function prepare(
  runtime: Runtime,
  manifest: Manifest,
  state: State | undefined,
  service: Service,
  { named = [], here = false, approve }: PullOptions,
): Promise<Pull> {
  for (const address of named) refuseUnknownAddress(address, manifest, state);
  const { plan, observation } = await makePlan(runtime, { manifest, state, service, targets: named });
  const declared = new Map(manifest.declarations.map((declaration) => [declaration.address, declaration]));
  const requested = plan.changes.map((change) =>
    selectFields(observation, named.includes(change.address), change, declared.get(change.address)),
  );
  const edited = requested.flatMap(({ fields }) => fields);
  let placed = placeAll(edited, manifest, { here });
  const shared = placed.fields.filter(({ others = [] }) => others.length > 0);
  if (shared.length > 0 && !(await approve?.(shared))) placed = withoutShared(placed, manifest, { here });
  const refused = [...requested, placed].flatMap((one) => one.refused);
  const { manifest: now } = await loadManifest(toLoadOptions(runtime));
  return refuseEdited({ fields: placed.fields, refused }, now);
}

/**
 * Writes the files first: if the state cannot be written afterwards, the next plan sees that both sides are
 * equal. An edit that a file refuses does not count as pulled, because the next apply would overwrite it.
 */
async function writePulledFields(
  runtime: Runtime,
  manifest: Manifest,
  session: StateSession,
  service: Service,
  planned: Pull,
): Promise<Pull> {
  if (planned.fields.length === 0) return planned;
  const written = await inFolder(manifest.root, () => writeBack(manifest.root, toEdits(planned.fields)));
  const { fields, refused } = withoutRefused(planned.fields, written);
  const pull = { fields, refused: [...planned.refused, ...refused] };
  if (fields.length === 0) return pull;
  await session.begin(service.baseUrl);
  const entries = entriesAfterPull(pull, session);
  for (const [address, entry] of entries) await session.completeIntent(address, entry);
  const settled = await entriesWithTimestamps(runtime, service, toListedStates(pull, entries));
  for (const [address, entry] of settled) session.recordEntry(address, entry);
  await session.commit();
  return pull;
}

/** The pulled objects that are in sync now; an edit that was refused must still show up in the next plan. */
function toListedStates({ fields, refused }: Pull, entries: ReadonlyMap<string, Entry>): ListedState[] {
  return fields.flatMap(({ declaration: { address, kind }, live: { id, updatedAt } }) => {
    const entry = entries.get(address);
    return entry && !refused.some((refusal) => refusal.address === address)
      ? [{ address, kind, id, updatedAt, entry }]
      : [];
  });
}

/*
 * Writes edits made elsewhere back into the files.
 *
 * By default, only drift is pulled: the file still has what was last applied, so nothing of ours is lost. If
 * both sides changed, or only the file did, the user must name the object to get the live text.
 */

/** Refuses files edited since they were loaded: reading the service takes time. */
export function refuseEdited<Written extends FieldToWrite>(
  { fields, refused }: PreparedEdits<Written>,
  now: Manifest | undefined,
): PreparedEdits<Written> {
  const declared = new Map(now?.declarations.map((declaration) => [declaration.address, declaration]));
  const kept = refuseSome(fields, (field) => {
    const { address, spec } = field.declaration;
    const again = declared.get(address);
    return again && sameValue(fieldFacts(field), spec[field.field], again.spec[field.field])
      ? undefined
      : "Its file changed in the meantime. Run the command again.";
  });
  return { fields: kept.fields, refused: [...refused, ...kept.refused] };
}

/** The state entries of the pulled objects: the pulled fields get their live values. */
function entriesAfterPull(pull: Pull, session: StateSession): Map<string, Entry> {
  const byAddress = new Map<string, [PullField, ...PullField[]]>();
  for (const field of pull.fields) {
    const own = byAddress.get(field.declaration.address);
    if (own) own.push(field);
    else byAddress.set(field.declaration.address, [field]);
  }
  const refused = new Set(pull.refused.map(({ address }) => address));
  return new Map(
    Array.from(byAddress, ([address, own]) => [address, entryAfter(own, refused.has(address), session)]),
  );
}

function entryAfter(
  own: readonly [PullField, ...PullField[]],
  isPartlyRefused: boolean,
  { state, noteText }: StateSession,
): Entry {
  const [{ declaration, live, settled }] = own;
  const { address, kind } = declaration;
  // The files have what was applied before.
  toStoredSpec(kind, declaration.spec, noteText);
  const known = state?.objects[address]?.id === live.id ? state.objects[address] : undefined;
  const names = known ? own.map(({ field }) => field) : Object.keys(declaration.spec);
  const values = names.map((name): [string, Value] => [name, live.spec[name] ?? ""]);
  const { inSyncAt: _before, ...kept } = known ?? {};
  // An edit that was refused must still show up in the next plan.
  const inSync = settled && live.updatedAt && !isPartlyRefused;
  return {
    ...kept,
    id: live.id,
    applied: { ...known?.applied, ...toStoredSpec(kind, Object.fromEntries(values), noteText) },
    ...(inSync ? { inSyncAt: live.updatedAt } : {}),
  };
}

/** The fields of a change to pull. */
function selectFields(
  observation: Observation,
  isNamed: boolean,
  change: Change,
  declaration: Declaration | undefined,
): { fields: readonly LiveField[]; refused: readonly Refusal[] } {
  const { address } = change;
  const observed = observation.objects.get(address);
  if (!declaration || observed?.seen !== "live") {
    // Drift of an unreadable object is unknown; this is reported without being asked for.
    const reason = isNamed || observed?.seen === "unreadable" ? unseen(change, declaration) : undefined;
    return { fields: [], refused: reason === undefined ? [] : [{ address, reason }] };
  }
  const { live, settled } = observed;
  const drifted = change.fields.filter(({ cause }) => isNamed || cause === "drifted");
  // The account has the id of what is referred to, and the files want its name. It has no `protect` or `on_removal`.
  const taken = drifted.filter(({ type, field }) => type !== "reference" && field in declaration.kind.fields);
  const fields = taken.map(({ field }) => ({
    declaration,
    field,
    value: liveValue(declaration.kind, live, field),
    live,
    settled,
  }));
  const conflicts = change.fields
    .filter(({ cause }) => !isNamed && cause === "conflicting")
    .map(({ field }) => ({
      address,
      field,
      reason: `It changed here and elsewhere. \`avatarops pull ${address}\` takes the live text and drops the one in the file; \`avatarops apply --overwrite-drift\` does the opposite.`,
    }));
  const references = drifted
    .filter(({ type }) => type === "reference")
    .map(({ field }) => ({ address, field, reason: reference(live.spec[field]) }));
  return { fields, refused: [...conflicts, ...references] };
}

function reference(id: Value | undefined): string {
  return id
    ? `It refers to the object ${id} now: write the name of its declaration into the file.`
    : "It refers to nothing now: take the field out of the file.";
}

/** Why a named object has no live text to pull; undefined if it simply has no changes. */
function unseen({ action, reason, notes }: Change, declaration: Declaration | undefined): string | undefined {
  if (!declaration) return "It is not declared, so the files have no place for it.";
  if (action === "keep" && reason === "unchanged") return undefined;
  if (action === "create" || action === "missing") return "The account has no such object.";
  if (action === "unreadable") return notes[0];
  if (action === "ambiguous")
    return "avatarops cannot tell which object it is: `avatarops plan` shows the candidates.";
  return `The service cannot read a ${declaration.kind.name}.`;
}
