import { type Change, type Observation, type Plan, toStoredSpec } from "../engine/index.js";
import { sameValue, type Value } from "../kinds/index.js";
import type { Declaration, Manifest } from "../manifest/index.js";
import type { Entry, State } from "../state/index.js";
import {
  type FieldToWrite,
  fieldOf,
  type Pull,
  type PullField,
  placeAll,
  type Refusal,
  refuse,
} from "./pull-places.js";

/*
 * Writing edits made elsewhere back into the files.
 *
 * Unasked, only what drifted is taken: there the file still says what was last applied, so nothing of ours is lost. Where
 * both sides changed, and for what only the files changed, somebody has to want the live text: then the object is named.
 */

/** What a pull is computed from. */
export interface PullInput {
  readonly manifest: Manifest;
  readonly plan: Plan;
  readonly observation: Observation;
  /** None: all that drifted. */
  readonly named: readonly string[];
}

/** Says what to pull. Reads the files again, and writes nothing. */
export function preparePull(input: PullInput): Pull {
  const declared = new Map(input.manifest.declarations.map((one) => [one.address, one]));
  const wanted = input.plan.changes.map((change) => wantedOf(input, change, declared.get(change.address)));
  const placed = placeAll(
    wanted.flatMap(({ fields }) => fields),
    input.manifest,
  );
  return { fields: placed.fields, refused: [...wanted.flatMap(({ refused }) => refused), ...placed.refused] };
}

/** Refuses what was edited in the files since they were loaded: the service takes its time to answer. */
export function refuseEdited({ fields, refused }: Pull, now: Manifest | undefined): Pull {
  const isEdited = (one: PullField) => {
    const { address, spec } = one.declaration;
    const again = now?.declarations.find((other) => other.address === address);
    return !again || !sameValue(fieldOf(one), spec[one.field], again.spec[one.field]);
  };
  const reason = "Its file was edited meanwhile. Run the command again.";
  return {
    fields: fields.filter((one) => !isEdited(one)),
    refused: [...refused, ...refuse(fields, (one) => (isEdited(one) ? reason : undefined))],
  };
}

/** What the state holds of the pulled objects afterwards: for the pulled fields, what is live. */
export function entriesAfterPull(pull: Pull, state: State | undefined): Map<string, Entry> {
  const addresses = new Set(pull.fields.map(({ declaration }) => declaration.address));
  return new Map(Array.from(addresses, (address) => [address, entryAfter(address, pull, state)]));
}

function entryAfter(address: string, { fields, refused }: Pull, state: State | undefined): Entry {
  const own = fields.filter(({ declaration }) => declaration.address === address);
  const [first] = own;
  if (!first) throw new Error(`Bug: nothing was pulled of ${address}`);
  const { declaration, live, settled } = first;
  const known = state?.objects[address]?.id === live.id ? state.objects[address] : undefined;
  const names = known ? own.map(({ field }) => field) : Object.keys(declaration.spec);
  const values = names.map((name): [string, Value] => [name, live.spec[name] ?? ""]);
  const { inSyncAt: _before, ...kept } = known ?? {};
  // An edit that was refused is still to be seen by the next plan.
  const inSync = settled && live.updatedAt && !refused.some((one) => one.address === address);
  return {
    ...kept,
    id: live.id,
    applied: { ...known?.applied, ...toStoredSpec(declaration.kind, Object.fromEntries(values)) },
    ...(inSync ? { inSyncAt: live.updatedAt } : {}),
  };
}

/** The fields of one change that are to be pulled. */
function wantedOf(
  { observation, named }: PullInput,
  change: Change,
  declaration: Declaration | undefined,
): { fields: readonly FieldToWrite[]; refused: readonly Refusal[] } {
  const { address } = change;
  const isNamed = named.includes(address);
  const observed = observation.objects.get(address);
  if (!declaration || observed?.seen !== "live") {
    // Whether one that cannot be read drifted is not known: that is told without being asked.
    const reason = isNamed || observed?.seen === "unreadable" ? unseen(change, declaration) : undefined;
    return { fields: [], refused: reason === undefined ? [] : [{ address, reason }] };
  }
  const { live, settled } = observed;
  const taken = change.fields.filter(({ cause }) => isNamed || cause === "drifted");
  const fields = taken.map(({ field }) => ({
    declaration,
    field,
    value: live.spec[field] ?? "",
    live,
    settled,
  }));
  const refused = change.fields
    .filter(({ cause }) => !isNamed && cause === "conflicting")
    .map(({ field }) => ({ address, field, reason: conflict(address) }));
  return { fields, refused };
}

function conflict(address: string): string {
  return `It was edited here and elsewhere. \`avatarops pull ${address}\` takes the live text and drops what the file says; \`avatarops apply --overwrite-drift\` does the opposite.`;
}

/** Why a named object has no live text to take; undefined where there is nothing to take. */
function unseen({ action, reason, notes }: Change, declaration: Declaration | undefined): string | undefined {
  if (!declaration) return "It is not declared: there is no place in the files to write to.";
  if (action === "keep" && reason === "unchanged") return undefined;
  if (action === "create" || action === "missing") return "The account has no such object.";
  if (action === "unreadable") return notes[0];
  if (action === "ambiguous")
    return "Which object is meant is not clear: `avatarops plan` shows the candidates.";
  return `The service offers no way to read a ${declaration.kind.name}.`;
}
