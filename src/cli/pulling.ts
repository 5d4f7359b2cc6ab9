import { type Change, type Observation, type Plan, rememberSpec } from "../engine/index.js";
import { type Field, type Live, sameValue, type Value } from "../kinds/index.js";
import {
  type Declaration,
  type Edit,
  editFiles,
  type Manifest,
  type Origin,
  originFor,
} from "../manifest/index.js";
import type { Entry, State } from "../state/index.js";

/*
 * Writing edits made elsewhere back into the files.
 *
 * Unasked, only what drifted is taken: there the file still says what was last applied, so nothing of ours is lost. Where
 * both sides changed, and for what only the files changed, somebody has to want the live text: then the object is named.
 *
 * A text that stands in one place and is wanted by two objects (a shared file, a YAML anchor) is written only if all of
 * them are pulled and hold the same; else the last one would win, or an object would change that nobody named.
 */

/** What a pull writes, and what it cannot. */
export interface Pull {
  readonly fields: readonly PullField[];
  readonly refused: readonly Refusal[];
}

/** One live value and the place it goes to. */
export interface PullField {
  readonly declaration: Declaration;
  readonly field: string;
  readonly edit: Edit;
  readonly live: Live;
  /** The live object's `updatedAt` may be trusted to change with the next edit. */
  readonly settled: boolean;
}

interface Refusal {
  readonly address: string;
  readonly field?: string;
  readonly reason: string;
}

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
  const wanted = input.plan.changes.map((change) => wantedOf(input, change));
  const refused = wanted.flatMap((one) => one.refused);
  const placed = placeAll(
    wanted.flatMap((one) => one.fields),
    input.manifest,
  );
  const kept = writable(placed.fields, input.manifest);
  return { fields: kept.fields, refused: [...refused, ...placed.refused, ...kept.refused] };
}

/** The edits of the files; one place that several objects share is written once. */
export function editsOf(fields: readonly PullField[]): Edit[] {
  return [...new Map(fields.map(({ edit }) => [placeOf(edit.origin), edit])).values()];
}

/** Refuses what was edited in the files since they were loaded: the service takes its time to answer. */
export function refuseEdited({ fields, refused }: Pull, now: Manifest | undefined): Pull {
  const isEdited = (one: PullField) => {
    const { address, spec } = one.declaration;
    const again = now?.declarations.find((other) => other.address === address);
    return !again || !sameValue(fieldOf(one), spec[one.field], again.spec[one.field]);
  };
  const reason = "Its file was edited meanwhile. Run the command again.";
  const edited = fields.filter(isEdited);
  return {
    fields: fields.filter((one) => !edited.includes(one)),
    refused: [
      ...refused,
      ...edited.map(({ declaration: { address }, field }) => ({ address, field, reason })),
    ],
  };
}

/** What the state holds of the pulled objects afterwards: for the pulled fields, what is live. */
export function entriesAfterPull(pull: Pull, state: State | undefined): Map<string, Entry> {
  const byAddress = grouped(pull.fields, ({ declaration }) => declaration.address);
  return new Map(
    [...byAddress].map(([address, fields]) => [address, entryAfter(address, fields, pull, state)]),
  );
}

function entryAfter(
  address: string,
  fields: readonly PullField[],
  { refused }: Pull,
  state: State | undefined,
): Entry {
  const [first] = fields;
  if (!first) throw new Error(`Bug: nothing was pulled of ${address}`);
  const { declaration, live, settled } = first;
  const known = state?.objects[address]?.id === live.id ? state.objects[address] : undefined;
  const names = known ? fields.map(({ field }) => field) : Object.keys(declaration.spec);
  const values = names.map((name): [string, Value] => [name, live.spec[name] ?? ""]);
  const { inSyncAt: _before, ...kept } = known ?? {};
  // An edit that was refused is still to be seen by the next plan.
  const inSync = settled && live.updatedAt && !refused.some((one) => one.address === address);
  return {
    ...kept,
    id: live.id,
    applied: { ...known?.applied, ...rememberSpec(declaration.kind, Object.fromEntries(values)) },
    ...(inSync ? { inSyncAt: live.updatedAt } : {}),
  };
}

interface Wanted {
  readonly declaration: Declaration;
  readonly field: string;
  readonly value: Value;
  readonly live: Live;
  readonly settled: boolean;
}

/** The fields of one change that are to be pulled. */
function wantedOf(
  { manifest, observation, named }: PullInput,
  change: Change,
): { fields: readonly Wanted[]; refused: readonly Refusal[] } {
  const { address } = change;
  const declaration = manifest.declarations.find((one) => one.address === address);
  const isNamed = named.includes(address);
  const observed = observation.objects.get(address);
  if (!declaration || observed?.seen !== "live") {
    const reason = isNamed ? unseen(change, declaration) : undefined;
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
function unseen({ action, reason }: Change, declaration: Declaration | undefined): string | undefined {
  if (!declaration) return "It is not declared: there is no place in the files to write to.";
  if (action === "keep" && reason === "unchanged") return undefined;
  if (action === "create" || action === "missing") return "The account has no such object.";
  if (action === "ambiguous")
    return "Which object is meant is not clear: `avatarops plan` shows the candidates.";
  return `The service offers no way to read a ${declaration.kind.name}.`;
}

/** Finds the place of each value, and refuses what has none or shares it with something else. */
function placeAll(wanted: readonly Wanted[], manifest: Manifest): Pull {
  const refused: Refusal[] = [];
  const placed = wanted.flatMap(({ value, ...one }): PullField[] => {
    const origin = originFor(one.declaration, one.field);
    if (origin) return [{ ...one, edit: { origin, value } }];
    const reason = "The files have no place to write it to: declare it first.";
    refused.push({ address: one.declaration.address, field: one.field, reason });
    return [];
  });
  const users = usersByPlace(manifest);
  const fields = placed.filter((one) => {
    const { address } = one.declaration;
    const sharing = (users.get(placeOf(one.edit.origin)) ?? []).filter(
      (user) => !(user.address === address && user.field === one.field),
    );
    const other = sharing.find((user) => !placed.some((two) => isSame(two, user) && agree(one, two)));
    if (!other) return true;
    const reason = `${one.edit.origin.file} is also the text of ${other.address}.${other.field}, which is not to become the same. Give each a text of its own, or pull both when they are alike.`;
    refused.push({ address, field: one.field, reason });
    return false;
  });
  return { fields, refused };
}

interface User {
  readonly address: string;
  readonly field: string;
}

function usersByPlace({ declarations }: Manifest): Map<string, User[]> {
  const users = declarations.flatMap(({ address, origins }) =>
    Object.entries(origins).map(([field, origin]) => ({ place: placeOf(origin), address, field })),
  );
  return grouped(users, ({ place }) => place);
}

function grouped<One>(all: readonly One[], keyOf: (one: One) => string): Map<string, One[]> {
  const groups = new Map<string, One[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

function placeOf(origin: Origin): string {
  return JSON.stringify([origin.at, origin.file, "path" in origin ? origin.path : []]);
}

function isSame({ declaration, field }: PullField, user: User): boolean {
  return declaration.address === user.address && field === user.field;
}

function agree(one: PullField, two: PullField): boolean {
  return sameValue(fieldOf(one), one.edit.value, two.edit.value);
}

function fieldOf({ declaration, field }: PullField): Field {
  const found = declaration.kind.fields[field];
  if (!found) throw new Error(`Bug: ${declaration.address} has no field ${field}`);
  return found;
}

/** Tries all edits on the files as they are now; what cannot be written is refused. */
function writable(fields: readonly PullField[], manifest: Manifest): Pull {
  const tried = editFiles(manifest.root, editsOf(fields));
  const reasonOf = ({ edit }: PullField) =>
    tried.refused.find(({ origin }) => placeOf(origin) === placeOf(edit.origin))?.reason;
  return {
    fields: fields.filter((one) => reasonOf(one) === undefined),
    refused: fields.flatMap((one) => {
      const reason = reasonOf(one);
      const { address } = one.declaration;
      return reason === undefined
        ? []
        : [
            {
              address,
              field: one.field,
              reason: `It cannot be written into ${one.edit.origin.file}: ${reason}.`,
            },
          ];
    }),
  };
}
