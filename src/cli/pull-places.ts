import { type Field, type Live, sameValue, type Value, validatorOf } from "../kinds/index.js";
import {
  allowedValues,
  type Declaration,
  type Edit,
  editFiles,
  type Manifest,
  type Origin,
  originFor,
  type WrittenBack,
} from "../manifest/index.js";

/** Decides what a pull writes, and what it cannot write. */
export interface Pull {
  readonly fields: readonly PullField[];
  readonly refused: readonly Refusal[];
}

/** A live value to pull. */
export interface FieldToWrite {
  readonly declaration: Declaration;
  readonly field: string;
  readonly value: Value;
  readonly live: Live;
  /** The live object's `updatedAt` is sure to change with the next edit. */
  readonly settled: boolean;
}

/** The same, with its place in the files. */
export interface PullField extends Omit<FieldToWrite, "value"> {
  readonly edit: Edit;
}

/** What is not written: a field, or a whole object. */
export interface Refusal {
  readonly address: string;
  readonly field?: string;
  /** A sentence. */
  readonly reason: string;
}

/** Finds the place of each value and prepares the edit; lists what cannot be written. Writes nothing. */
export function placeAll(requested: readonly FieldToWrite[], manifest: Manifest): Pull {
  const problemWith = (field: FieldToWrite) => problemIn(field, manifest);
  const loadable = requested.filter((field) => problemWith(field) === undefined);
  const placed = loadable.map(({ value, ...field }) => {
    const origin = originFor(field.declaration, field.field);
    return origin ? { ...field, edit: { origin, value } } : field;
  });
  const homeless = refusalsOf(
    placed.filter((field) => !("edit" in field)),
    () => "The files have no place for it: declare it first.",
  );
  const shared = settleShared(
    placed.filter((field) => "edit" in field),
    manifest,
  );
  const tried = tryAll(shared.fields, manifest);
  const refused = [...refusalsOf(requested, problemWith), ...homeless, ...shared.refused, ...tried.refused];
  return { fields: tried.fields, refused };
}

/** Why the files would not load with this live value. */
function problemIn(
  { declaration: { address, kind, id, spec }, field, value }: FieldToWrite,
  { service }: Manifest,
): string | undefined {
  const values = { ...spec, ...(id === undefined ? {} : { id }), [field]: value };
  // The validator does not know the server-assigned keys of list entries, and they are not written.
  const problem = validatorOf(kind, allowedValues(service))(address, values).find(
    ({ code, path: [name] }) => name === field && code !== "unknown-field",
  );
  return problem && `The files cannot hold the live value: ${problem.message}. Correct it in the account.`;
}

/** The edits of the files; a place that several objects share is written once. */
export function editsOf(fields: readonly PullField[]): Edit[] {
  return [...new Map(fields.map(({ edit }) => [placeOf(edit.origin), edit])).values()];
}

/**
 * A text that two objects share (a file, a YAML anchor) is written only if both are pulled and have the same
 * value. Otherwise the last one would win, or an object would change that nobody named.
 */
function settleShared(placed: readonly PullField[], manifest: Manifest): Pull {
  const users = usersByPlace(manifest);
  const otherUser = (field: PullField) =>
    users
      .get(placeOf(field.edit.origin))
      ?.find((user) => !isSame(field, user) && !placed.some((two) => isSame(two, user) && agree(field, two)));
  return {
    fields: placed.filter((field) => !otherUser(field)),
    refused: refusalsOf(placed, (field) => {
      const other = otherUser(field);
      const advice = "Give each object its own text, or pull both once they are equal.";
      return (
        other &&
        `${other.address}.${other.field} also uses the text in ${field.edit.origin.file}, and it would not get the same value. ${advice}`
      );
    }),
  };
}

/** Applies all edits in memory, to the files as they are now. */
function tryAll(fields: readonly PullField[], manifest: Manifest): Pull {
  return withoutRefused(fields, editFiles(manifest.root, editsOf(fields)));
}

/** Without those whose edit was refused. */
export function withoutRefused(fields: readonly PullField[], { refused }: WrittenBack): Pull {
  const reasons = new Map(refused.map(({ origin, reason }) => [placeOf(origin), reason]));
  const reasonOf = ({ edit }: PullField) => reasons.get(placeOf(edit.origin));
  return {
    fields: fields.filter((field) => reasonOf(field) === undefined),
    refused: refusalsOf(fields, (field) => {
      const reason = reasonOf(field);
      return reason && `It cannot be written into ${field.edit.origin.file}: ${reason}.`;
    }),
  };
}

/** The refused ones, each with its reason. */
export function refusalsOf<Refusable extends Pick<FieldToWrite, "declaration" | "field">>(
  fields: readonly Refusable[],
  reasonOf: (field: Refusable) => string | undefined,
): Refusal[] {
  return fields.flatMap((field) => {
    const reason = reasonOf(field);
    return reason === undefined ? [] : [{ address: field.declaration.address, field: field.field, reason }];
  });
}

interface User {
  readonly address: string;
  readonly field: string;
}

function usersByPlace({ declarations }: Manifest): Map<string, User[]> {
  const users = new Map<string, User[]>();
  for (const { address, origins } of declarations) {
    for (const [field, origin] of Object.entries(origins)) {
      const place = placeOf(origin);
      users.set(place, [...(users.get(place) ?? []), { address, field }]);
    }
  }
  return users;
}

function placeOf(origin: Origin): string {
  return JSON.stringify([origin.at, origin.file, "path" in origin ? origin.path : []]);
}

function isSame({ declaration, field }: PullField, user: User): boolean {
  return declaration.address === user.address && field === user.field;
}

function agree(first: PullField, two: PullField): boolean {
  return sameValue(fieldOf(first), first.edit.value, two.edit.value);
}

/** The field of a value. */
export function fieldOf({ declaration, field }: PullField): Field {
  const found = declaration.kind.fields[field];
  if (!found) throw new Error(`Bug: ${declaration.address} has no field ${field}`);
  return found;
}
