import {
  createValidator,
  emptyValue,
  type Field,
  type Kind,
  kinds,
  type Live,
  lostRegions,
  sameValue,
  type Validator,
  type Value,
  withRegionsFrom,
} from "../core/kinds/index.js";
import {
  type Declaration,
  type Edit,
  editFiles,
  type Manifest,
  type Origin,
  originFor,
  type WrittenBack,
} from "../core/manifest/index.js";
import { putBack, type SourceEdit } from "../core/templates/index.js";
import { listed } from "./listed.js";

/** What is written into the files, and what cannot be. */
export interface PreparedEdits<Written extends FieldToWrite> {
  readonly fields: readonly PreparedEdit<Written>[];
  readonly refused: readonly Refusal[];
}

/** The same of a pull. */
export type Pull = PreparedEdits<LiveField>;
export type PullField = PreparedEdit<LiveField>;

/** A value to write, with its place in the files. */
export type PreparedEdit<Written extends FieldToWrite> = Written & { readonly edit: Edit };

/** A value to write into the files. */
export interface FieldToWrite {
  readonly declaration: Declaration;
  readonly field: string;
  readonly value: Value;
}

/** A live value to pull. */
export interface LiveField extends FieldToWrite {
  readonly live: Live;
  /** The live object's `updatedAt` is sure to change with the next edit. */
  readonly settled: boolean;
}

/** What is not written: a field, or a whole object. */
export interface Refusal {
  readonly address: string;
  readonly field?: string;
  /** A sentence. */
  readonly reason: string;
}

/** Finds the place of each value and prepares the edit; lists what cannot be written. Writes nothing. */
export function placeAll<Written extends FieldToWrite>(
  given: readonly Written[],
  manifest: Manifest,
): PreparedEdits<Written> {
  // What somebody else writes stays out of the files.
  const requested = given.map((field) => {
    const { [field.field]: declared } = field.declaration.spec;
    return { ...field, value: withRegionsFrom(fieldFacts(field), field.value, declared) };
  });
  const validators = new Map(
    kinds.map((kind) => [kind.name, createValidator(kind, manifest.service.allowedValues)]),
  );
  const problems = new Map(
    requested.map((field) => [field, problemIn(field, validators.get(field.declaration.kind.name))]),
  );
  const problemWith = (field: Written) => problems.get(field);
  const loadable = requested.filter((field) => problemWith(field) === undefined);
  const findOrigin = ({ declaration, field }: FieldToWrite) => originFor(declaration, field);
  const placed = loadable.flatMap((field): PreparedEdit<Written>[] => {
    const origin = findOrigin(field);
    return origin ? [{ ...field, edit: { origin, value: field.value } }] : [];
  });
  const homeless = toRefusals(
    loadable.filter((field) => !findOrigin(field)),
    () => "The files have no place for it: declare it first.",
  );
  const settled = settleShared(placed, manifest);
  const composed = settleComposed(settled.fields, manifest);
  const shared = { fields: composed.fields, refused: [...settled.refused, ...composed.refused] };
  // All edits in memory, to the files as they are now.
  const tried = withoutRefused(shared.fields, editFiles(manifest.root, toEdits(shared.fields)));
  const refused = [...toRefusals(requested, problemWith), ...homeless, ...shared.refused, ...tried.refused];
  return { fields: tried.fields, refused };
}

/** Why the files would not load with this live value. */
function problemIn(
  { declaration: { address, id, spec, kind }, field, value }: FieldToWrite,
  validate: Validator | undefined,
): string | undefined {
  if (lostRegions(kind, spec, { [field]: value }).length > 0)
    return "It lacks marks of a region that ignore_changes names, and the files must have them: put them back in the account, or overwrite it with --overwrite-drift.";
  const values = { ...spec, ...(id === undefined ? {} : { id }), [field]: value };
  // The validator does not know the server-assigned keys of list entries, and they are not written.
  const problem = validate?.(address, values).find(
    ({ code, path: [name] }) => name === field && code !== "unknown-field",
  );
  return problem && `The files cannot hold the live value: ${problem.message}. Correct it in the account.`;
}

/** The edits of the files; a place that several objects share is written once. */
export function toEdits(fields: readonly PreparedEdit<FieldToWrite>[]): Edit[] {
  return [...new Map(fields.map(({ edit }) => [placeKey(edit.origin), edit])).values()];
}

/**
 * A text that two objects share (a file, a YAML anchor) is written only if both are pulled and have the same
 * value. Otherwise the last one would win, or an object would change that nobody named.
 */
function settleShared<Written extends FieldToWrite>(
  placed: readonly PreparedEdit<Written>[],
  manifest: Manifest,
): PreparedEdits<Written> {
  const users = usersByPlace(manifest);
  const pulled = new Map(placed.map((field) => [fieldKey(field.declaration.address, field.field), field]));
  const otherUser = (field: PreparedEdit<Written>) =>
    users.get(placeKey(field.edit.origin))?.find((user) => {
      const two = pulled.get(fieldKey(user.address, user.field));
      return two !== field && !(two && sameValue(fieldFacts(field), field.edit.value, two.edit.value));
    });
  return {
    fields: placed.filter((field) => !otherUser(field)),
    refused: toRefusals(placed, (field) => {
      const other = otherUser(field);
      const advice = "Give each object its own text, or pull both once they are equal.";
      return (
        other &&
        `${other.address}.${other.field} also uses the text in ${field.edit.origin.file}, and it would not get the same value. ${advice}`
      );
    }),
  };
}

/** The edit of a partial changes whatever else is made of it: nothing is written that changes what nobody named. */
function settleComposed<Written extends FieldToWrite>(
  placed: readonly PreparedEdit<Written>[],
  { declarations }: Manifest,
): PreparedEdits<Written> {
  const wanted = new Map<string, { readonly value: Value; readonly edits: readonly SourceEdit[] }>();
  for (const { declaration, field, edit } of placed) {
    const { origin, value } = edit;
    if (origin.at !== "template" || typeof value !== "string") continue;
    const put = putBack(origin.composition, value);
    if ("edits" in put) wanted.set(fieldKey(declaration.address, field), { value, edits: put.edits });
  }
  if (wanted.size === 0) return { fields: placed, refused: [] };
  const all = [...wanted.values()].flatMap(({ edits }) => edits);
  const texts = declarations.flatMap(({ address, origins }) =>
    Object.entries(origins).flatMap(([field, origin]) =>
      origin.at === "template" ? [{ key: fieldKey(address, field), composition: origin.composition }] : [],
    ),
  );
  /** Which texts would be others than they are, or than is wanted of them. */
  const findOthers = (edits: readonly SourceEdit[]) =>
    texts.filter(({ key, composition }) => {
      if (composition.withEdits(edits) === composition.text) return false;
      const own = wanted.get(key);
      return !own || composition.withEdits(all) !== own.value;
    });
  const findReason = ({ declaration: { address }, field }: PreparedEdit<Written>) => {
    const others = findOthers(wanted.get(fieldKey(address, field))?.edits ?? []);
    const named = others.map(({ key }) => key.replace(" ", "."));
    return named.length === 0
      ? undefined
      : `${listed(named)} would change as well, which ${named.length === 1 ? "is" : "are"} made of the same file: edit it by hand, and apply.`;
  };
  return {
    fields: placed.filter((field) => findReason(field) === undefined),
    refused: toRefusals(placed, findReason),
  };
}

/** Without those whose edit was refused. */
export function withoutRefused<Written extends FieldToWrite>(
  fields: readonly PreparedEdit<Written>[],
  { refused }: WrittenBack,
): PreparedEdits<Written> {
  const reasons = new Map(refused.map(({ origin, reason }) => [placeKey(origin), reason]));
  const findReason = ({ edit }: PreparedEdit<Written>) => reasons.get(placeKey(edit.origin));
  return {
    fields: fields.filter((field) => findReason(field) === undefined),
    refused: toRefusals(fields, (field) => {
      const reason = findReason(field);
      return reason && `It cannot be written into ${field.edit.origin.file}: ${reason}.`;
    }),
  };
}

/** The refused ones, each with its reason. */
export function toRefusals<Refusable extends Pick<FieldToWrite, "declaration" | "field">>(
  fields: readonly Refusable[],
  findReason: (field: Refusable) => string | undefined,
): Refusal[] {
  return fields.flatMap((field) => {
    const reason = findReason(field);
    return reason === undefined ? [] : [{ address: field.declaration.address, field: field.field, reason }];
  });
}

/** Whether a value is written outside the environment that is chosen: what is there may be that of others, too. */
export function isShared({ environment }: Manifest, { edit: { origin } }: { readonly edit: Edit }): boolean {
  return environment !== undefined && !(origin.at === "yaml" && origin.path[0] === "environments");
}

interface User {
  readonly address: string;
  readonly field: string;
}

function usersByPlace({ declarations }: Manifest): Map<string, User[]> {
  const users = new Map<string, User[]>();
  for (const { address, origins } of declarations) {
    for (const [field, origin] of Object.entries(origins)) {
      const place = placeKey(origin);
      const known = users.get(place);
      if (known) known.push({ address, field });
      else users.set(place, [{ address, field }]);
    }
  }
  return users;
}

function placeKey(origin: Origin): string {
  return JSON.stringify([origin.at, origin.file, "path" in origin ? origin.path : []]);
}

function fieldKey(address: string, field: string): string {
  return `${address} ${field}`;
}

/** The field of a value. */
export function fieldFacts({ declaration, field }: FieldToWrite): Field {
  const found = declaration.kind.fields[field];
  if (!found) throw new Error(`Bug: ${declaration.address} has no field ${field}`);
  return found;
}

/** What the account has in a field; the empty value if it has none. */
export function liveValue(kind: Kind, { spec }: Live, field: string): Value {
  const facts = kind.fields[field];
  return spec[field] ?? (facts && emptyValue(facts)) ?? "";
}
