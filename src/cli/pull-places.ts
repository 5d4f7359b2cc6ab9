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

/** What a pull writes, and what it cannot. */
export interface Pull {
  readonly fields: readonly PullField[];
  readonly refused: readonly Refusal[];
}

/** One live value that is to be pulled. */
export interface FieldToWrite {
  readonly declaration: Declaration;
  readonly field: string;
  readonly value: Value;
  readonly live: Live;
  /** The live object's `updatedAt` may be trusted to change with the next edit. */
  readonly settled: boolean;
}

/** The same with the place it goes to. */
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

/** Finds the place of each value, and tries to write it there; what cannot be written is refused. Writes nothing. */
export function placeAll(wanted: readonly FieldToWrite[], manifest: Manifest): Pull {
  const explainRefusal = (one: FieldToWrite) => problemIn(one, manifest);
  const loadable = wanted.filter((one) => explainRefusal(one) === undefined);
  const placed = loadable.map(({ value, ...one }) => {
    const origin = originFor(one.declaration, one.field);
    return origin ? { ...one, edit: { origin, value } } : one;
  });
  const homeless = refuse(
    placed.filter((one) => !("edit" in one)),
    () => "The files have no place to write it to: declare it first.",
  );
  const shared = settleShared(
    placed.filter((one) => "edit" in one),
    manifest,
  );
  const tried = tryAll(shared.fields, manifest);
  const refused = [...refuse(wanted, explainRefusal), ...homeless, ...shared.refused, ...tried.refused];
  return { fields: tried.fields, refused };
}

/** Why a live value may not stand in the files: they would not load with it. */
function problemIn(
  { declaration: { address, kind, id, spec }, field, value }: FieldToWrite,
  { service }: Manifest,
): string | undefined {
  const values = { ...spec, ...(id === undefined ? {} : { id }), [field]: value };
  // Assigned keys of list entries are unknown to the validator, and are not written either.
  const problem = validatorOf(kind, allowedValues(service))(address, values).find(
    ({ code, path: [name] }) => name === field && code !== "unknown-field",
  );
  return problem && `The files cannot hold what is live: ${problem.message}. Correct it in the account.`;
}

/** The edits of the files; one place that several objects share is written once. */
export function editsOf(fields: readonly PullField[]): Edit[] {
  return [...new Map(fields.map(({ edit }) => [placeOf(edit.origin), edit])).values()];
}

/**
 * A text that stands in one place and is wanted by two objects (a shared file, a YAML anchor) is written only if all of
 * them are pulled and hold the same; else the last one would win, or an object would change that nobody named.
 */
function settleShared(placed: readonly PullField[], manifest: Manifest): Pull {
  const users = usersByPlace(manifest);
  const otherUser = (one: PullField) =>
    users
      .get(placeOf(one.edit.origin))
      ?.find((user) => !isSame(one, user) && !placed.some((two) => isSame(two, user) && agree(one, two)));
  return {
    fields: placed.filter((one) => !otherUser(one)),
    refused: refuse(placed, (one) => {
      const other = otherUser(one);
      const advice = "Give each a text of its own, or pull both when they are alike.";
      return (
        other &&
        `${one.edit.origin.file} is also the text of ${other.address}.${other.field}, which is not to become the same. ${advice}`
      );
    }),
  };
}

/** Makes all edits to the files as they are now, in memory. */
function tryAll(fields: readonly PullField[], manifest: Manifest): Pull {
  return withoutRefused(fields, editFiles(manifest.root, editsOf(fields)));
}

/** Without those whose edit of the files was refused. */
export function withoutRefused(fields: readonly PullField[], { refused }: WrittenBack): Pull {
  const reasons = new Map(refused.map(({ origin, reason }) => [placeOf(origin), reason]));
  const reasonOf = ({ edit }: PullField) => reasons.get(placeOf(edit.origin));
  return {
    fields: fields.filter((one) => reasonOf(one) === undefined),
    refused: refuse(fields, (one) => {
      const reason = reasonOf(one);
      return reason && `It cannot be written into ${one.edit.origin.file}: ${reason}.`;
    }),
  };
}

/** The refusals of those there is a reason to refuse. */
export function refuse<One extends Pick<FieldToWrite, "declaration" | "field">>(
  fields: readonly One[],
  reasonOf: (one: One) => string | undefined,
): Refusal[] {
  return fields.flatMap((one) => {
    const reason = reasonOf(one);
    return reason === undefined ? [] : [{ address: one.declaration.address, field: one.field, reason }];
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

function agree(one: PullField, two: PullField): boolean {
  return sameValue(fieldOf(one), one.edit.value, two.edit.value);
}

/** The field a value is of. */
export function fieldOf({ declaration, field }: PullField): Field {
  const found = declaration.kind.fields[field];
  if (!found) throw new Error(`Bug: ${declaration.address} has no field ${field}`);
  return found;
}
