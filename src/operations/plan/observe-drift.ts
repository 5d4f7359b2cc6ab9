import { UsageError } from "../../base/diagnostics/index.js";
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
import type { State } from "../../core/state/index.js";
import { createSourceEnvironment } from "../runtime/access.js";
import type { Runtime } from "../runtime/runtime.js";
import { openProjectStore } from "../state/project-store.js";
import { observeAccount, selectTargets } from "./plan.js";

/** Observed drift of a project. */
export interface ObservedDrift {
  readonly drift: Drift;
  /** Rotations at the sources of secret values. */
  readonly rotations: PendingRotations;
  /** State that the account was compared with. */
  readonly state: State;
  readonly observation: Observation;
  readonly targets?: readonly string[];
  readonly notes: readonly string[];
  readonly requests: number;
  /** Whether everything that could have drifted was compared. */
  readonly isComplete: boolean;
}

/**
 * Compares the account with the state. The writes of a concurrent apply, between reading the state and the account, would
 * look like drift. So if something drifted, the state is read again, and objects whose record changed are left out.
 */
export async function observeDrift(
  runtime: Runtime,
  manifest: Manifest,
  service: Service,
): Promise<ObservedDrift> {
  const store = openProjectStore(runtime, manifest);
  const readRecordedState = async () => (await store.read())?.state ?? throwNoState(store.location);
  const state = await readRecordedState();
  const given = selectTargets(runtime, manifest, state);
  const limits = given.length > 0 ? { targets: given } : {};
  const compared = buildRecordedManifest(manifest, state, limits.targets);
  const observation = await observeAccount(runtime, {
    ...{ manifest: compared, state: dropCreates(state), service, ...limits },
  });
  const { objects, ...rest } = findDrift({ manifest, state, observation });
  const now = objects.length > 0 ? await readRecordedState() : state;
  const moving = objects.filter(
    ({ address }) => hashRecordedPart(state, address) !== hashRecordedPart(now, address),
  );
  const known = objects.filter((object) => !moving.includes(object));
  const kept = await withTexts(readHistory(store.history(), state), known);
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
      ...openCreateNotes(state),
      ...describeMoving(moving),
      ...gone,
      ...ignored.map(({ message }) => message),
    ],
    requests: observation.requests,
    isComplete: moving.length + gone.length + rest.unreadable.length === 0 && !limits.targets,
  };
}

/** Adds recorded texts where the files no longer contain the applied ones. */
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
    `There is no state at ${location}, so the last applied values are unknown. Run \`avatarops apply\` first; in a pipeline, check that the state is committed or shared.`,
  );
}

/** Removes creates without a response, whose objects cannot drift and are not searched for. */
function dropCreates(state: State): State {
  const answered = Object.entries(state.pending).filter(([, { id }]) => id !== undefined);
  return { ...state, pending: Object.fromEntries(answered) };
}

function openCreateNotes({ pending }: State): string[] {
  return Object.values(pending).flatMap(({ address, id, at }) =>
    id === undefined ? [`${address}: its create is in progress or interrupted since ${at}.`] : [],
  );
}

/** Returns the part of the state that the comparison uses. */
function hashRecordedPart({ objects, pending }: State, address: string): string {
  const { id, applied } = objects[address] ?? {};
  return JSON.stringify([id, applied, pending[address]]);
}

function describeMoving(moving: readonly { readonly address: string }[]): string[] {
  if (moving.length === 0) return [];
  const addresses = moving.map(({ address }) => address).join(", ");
  return [`Left out, because an apply is changing them: ${addresses}. Run the command again.`];
}

/** Warns if all objects are gone, which is rarely a deletion. */
function describeGone(objects: Drift["objects"], unchanged: number): string[] {
  const gone = objects.filter(({ live }) => live === undefined).length;
  if (gone < 2 || gone < objects.length || unchanged > 0) return [];
  return [
    `None of the ${gone} objects recorded in the state is in the account. Does the API key belong to another account?`,
  ];
}
