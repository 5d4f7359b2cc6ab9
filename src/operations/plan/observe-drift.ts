import { UsageError } from "../../base/diagnostics/index.js";
import { listNames } from "../../base/text/index.js";
import type { Service } from "../../core/api/index.js";
import {
  buildRecordedManifest,
  createIgnoredNotice,
  type Drift,
  findDrift,
  type Observation,
  observePendingRotations,
  type PendingRotations,
} from "../../core/engine/index.js";
import { type HistoryItem, readHistory, readTexts } from "../../core/history/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import type { Snapshot, State } from "../../core/state/index.js";
import { createSourceEnvironment } from "../runtime/access.js";
import type { Runtime } from "../runtime/runtime.js";
import { openProjectStore } from "../state/project-store.js";
import { markMergedEdits } from "./last-applied.js";
import { observeAccount, selectTargets } from "./plan.js";

/** A project's drift, with the data used to find it. */
export interface ObservedDrift {
  readonly drift: Drift;
  /** Secret values that were rotated at their source. */
  readonly rotations: PendingRotations;
  /** State used for the comparison. */
  readonly state: State;
  readonly observation: Observation;
  readonly targets?: readonly string[];
  readonly notes: readonly string[];
  readonly requests: number;
  /** Whether all objects were compared. */
  readonly isComplete: boolean;
}

/**
 * Compares the account with the state. If anything drifted, reads the state again and leaves out objects whose record
 * changed, because writes of a concurrent apply look like drift. Calls `onRead` with the first state.
 */
export async function observeDrift(
  runtime: Runtime,
  manifest: Manifest,
  service: Service,
  onRead?: (snapshot: Snapshot | undefined) => void,
): Promise<ObservedDrift> {
  const store = openProjectStore(runtime, manifest);
  const snapshot = await store.read();
  onRead?.(snapshot);
  const state = snapshot?.state ?? throwNoState(store.location);
  const given = selectTargets(runtime, manifest, state);
  const limits = given.length > 0 ? { targets: given } : {};
  const compared = buildRecordedManifest(manifest, state, limits.targets);
  const observation = await observeAccount(runtime, {
    ...{ manifest: compared, state: dropCreates(state), service, ...limits },
  });
  const { objects, ...rest } = findDrift({ manifest, state, observation });
  const now = objects.length > 0 ? ((await store.read())?.state ?? throwNoState(store.location)) : state;
  const moving = objects.filter(
    ({ address }) => serializeRecordedPart(state, address) !== serializeRecordedPart(now, address),
  );
  const known = objects.filter((object) => !moving.includes(object));
  const kept = markMergedEdits(await withTexts(readHistory(store.readHistory(), state), known), manifest);
  const gone = describeGone(kept, rest.unchanged);
  const ignored = createIgnoredNotice(compared.declarations);
  const sources = createSourceEnvironment(runtime, manifest);
  return {
    drift: { ...rest, objects: kept },
    rotations: await observePendingRotations(manifest, state, sources, limits.targets),
    state,
    observation,
    ...limits,
    notes: [
      ...describeOpenCreates(state),
      ...describeMoving(moving),
      ...gone,
      ...ignored.map(({ message }) => message),
    ],
    requests: observation.requests,
    isComplete: moving.length + gone.length + rest.unreadable.length === 0 && !limits.targets,
  };
}

/** Adds applied texts from the history if the files no longer contain them. */
async function withTexts(
  history: AsyncIterable<HistoryItem>,
  objects: Drift["objects"],
): Promise<Drift["objects"]> {
  const stored = objects.flatMap(({ fields }) => fields.map(({ before }) => before));
  const texts = await readTexts(history, stored);
  return objects.map((object) => ({
    ...object,
    fields: object.fields.map((field) => {
      const found = field.before === undefined ? undefined : texts.find(field.before);
      return found && "value" in found ? { ...field, before: found.value } : field;
    }),
  }));
}

function throwNoState(location: string): never {
  throw new UsageError(
    "no-state",
    `There is no state at ${location}, so the last applied values are unknown. Run \`avatarops apply\` first. In a pipeline, check that the state is committed or shared.`,
  );
}

/** Removes pending creates without an id, because their objects are not searched for and cannot drift. */
function dropCreates(state: State): State {
  const answered = Object.entries(state.pending).filter(([, { id }]) => id !== undefined);
  return { ...state, pending: Object.fromEntries(answered) };
}

function describeOpenCreates({ pending }: State): string[] {
  const open = Object.values(pending).filter(({ id }) => id === undefined);
  const [first] = open.map(({ at }) => at).sort();
  if (first === undefined) return [];
  const addresses = listNames(open.map(({ address }) => address));
  return [`Not compared: ${addresses}. Creation in progress or interrupted since ${first}.`];
}

/** Serializes the part of the state that is compared. */
function serializeRecordedPart({ objects, pending }: State, address: string): string {
  const { id, applied } = objects[address] ?? {};
  return JSON.stringify([id, applied, pending[address]]);
}

function describeMoving(moving: readonly { readonly address: string }[]): string[] {
  if (moving.length === 0) return [];
  const addresses = moving.map(({ address }) => address).join(", ");
  return [`Skipped ${addresses}, because an apply is changing them. Re-run the command.`];
}

/** Warns if all objects are gone. Most likely, the API key belongs to another account. */
function describeGone(objects: Drift["objects"], unchanged: number): string[] {
  const gone = objects.filter(({ live }) => live === undefined).length;
  if (gone < 2 || gone < objects.length || unchanged > 0) return [];
  return [
    `None of the ${gone} objects recorded in the state is in the account. Check that the API key belongs to the right account.`,
  ];
}
