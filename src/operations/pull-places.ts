import {
  createValidator,
  describeLostRegions,
  emptyValue,
  type Field,
  type Kind,
  kinds,
  type Live,
  sameValue,
  type Validator,
  type Value,
  withLineFeeds,
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
import { type ComposedText, putAllBack } from "../core/templates/index.js";
import { listed } from "./listed.js";

/** What is written into the files, and what cannot be. */
export interface PreparedEdits<Written extends FieldToWrite> {
  readonly fields: readonly PreparedEdit<Written>[];
  readonly refused: readonly Refusal[];
}

/** The same of a pull. */
export type Pull = PreparedEdits<LiveField>;
export type PullField = PreparedEdit<LiveField>;

/** A value to write, with its place in the files, and the other texts that it changes. */
export type PreparedEdit<Written extends FieldToWrite> = Written & {
  readonly edit: Edit;
  readonly others?: readonly string[] | undefined;
};

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

/** Where an edit would change other texts, which are made of the same file. */
interface PlaceOptions {
  /** It is written into the prompt alone, as far as it can be. */
  readonly here?: boolean;
  /** It is refused, with this advice, the end of a sentence. Default: it is written, and `others` names them. */
  readonly advice?: string;
}

/** Finds the place of each value and prepares the edit; lists what cannot be written. Writes nothing. */
export function placeAll<Written extends FieldToWrite>(
  given: readonly Written[],
  manifest: Manifest,
  options: PlaceOptions = {},
): PreparedEdits<Written> {
  // What somebody else writes stays out of the files.
  const requested = given.map((field) => {
    const { [field.field]: declared } = field.declaration.spec;
    return { ...field, value: withRegionsFrom(fieldFacts(field), field.value, declared) };
  });
  const validators = new Map(
    kinds.map((kind) => [kind.name, createValidator(kind, manifest.service.allowedValues)]),
  );
  const loadable = refuseSome(requested, (field) =>
    problemIn(field, validators.get(field.declaration.kind.name)),
  );
  const found = refuseSome(loadable.fields, ({ declaration, field }) =>
    originFor(declaration, field) ? undefined : "The files have no place for it: declare it first.",
  );
  const placed = found.fields.flatMap((field): PreparedEdit<Written>[] => {
    const origin = originFor(field.declaration, field.field);
    return origin ? [{ ...field, edit: { origin, value: field.value } }] : [];
  });
  const composed = settleComposed(placed, manifest, options);
  const settled = settleShared(composed.fields, manifest);
  // All edits in memory, to the files as they are now.
  const tried = withoutRefused(settled.fields, editFiles(manifest.root, toEdits(settled.fields)));
  const refused = [loadable, found, composed, settled, tried].flatMap((step) => step.refused);
  return { fields: tried.fields, refused };
}

/** Why the files would not load with this live value. */
function problemIn(
  { declaration: { address, id, spec, kind }, field, value }: FieldToWrite,
  validate: Validator | undefined,
): string | undefined {
  if (describeLostRegions(kind, spec, { [field]: value }).length > 0)
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
  return [...new Map(fields.map(({ edit }) => [edit.replaced ?? placeKey(edit.origin), edit])).values()];
}

/** The files in which a value is written, relative to the project folder. */
export function listEditedFiles({ edit: { origin, replaced } }: { readonly edit: Edit }): readonly string[] {
  return replaced ? [...new Set(replaced.map(({ range }) => range.source.file))] : [origin.file];
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
  const pulled = new Map(placed.map((field) => [nameField(field), field]));
  const composed = new Set(manifest.composed.map(({ name }) => name));
  return refuseSome(placed, (field) => {
    const { origin, replaced, value } = field.edit;
    const places = replaced ? listEditedFiles(field).map(wholeFile) : [placeKey(origin)];
    const other = places
      .flatMap((place) => users.get(place) ?? [])
      .find((user) => {
        const two = pulled.get(user);
        const isSame = two && sameValue(fieldFacts(field), value, two.edit.value);
        return two !== field && !isSame && !(replaced && composed.has(user));
      });
    const advice = "Give each object its own text, or pull both once they are equal.";
    const file = listEditedFiles(field).join(", ");
    return other && `${other} also uses the text in ${file}, and it would not get the same value. ${advice}`;
  });
}

/** The edit of a partial changes whatever else is made of it. */
function settleComposed<Written extends FieldToWrite>(
  fields: readonly PreparedEdit<Written>[],
  { composed }: Manifest,
  { here, advice }: PlaceOptions,
): PreparedEdits<Written> {
  const edited = fields.filter(({ edit }) => edit.origin.at === "template");
  const wanted = new Map(edited.map((field) => [nameField(field), withLineFeeds(field.value as string)]));
  const nameAll = (others: readonly ComposedText[]) => others.map(({ name }) => name);
  const refuse = (others: readonly ComposedText[]) =>
    `${listed(nameAll(others))} would change as well, made of the same file: ${advice}.`;
  const put = putAllBack(wanted, composed, { here, refuse: advice === undefined ? undefined : refuse });
  const placed = new Map(put.placed.map((text) => [text.name, text]));
  const settled = refuseSome(fields, (field) => put.refused.get(nameField(field)));
  return {
    ...settled,
    fields: settled.fields.map((field) => {
      const { edits: replaced, others = [] } = placed.get(nameField(field)) ?? {};
      return { ...field, edit: { ...field.edit, replaced }, others: nameAll(others) };
    }),
  };
}

/** Without those whose edit was refused. */
export function withoutRefused<Written extends FieldToWrite>(
  fields: readonly PreparedEdit<Written>[],
  { refused }: WrittenBack,
): PreparedEdits<Written> {
  const reasons = new Map(refused.map(({ origin, reason }) => [placeKey(origin), reason]));
  return refuseSome(fields, ({ edit: { origin } }) => {
    const reason = reasons.get(placeKey(origin));
    return reason && `It cannot be written into ${origin.file}: ${reason}.`;
  });
}

/** Divides fields into those for which there is no reason to refuse them, and the others. */
export function refuseSome<Some extends FieldToWrite>(
  all: readonly Some[],
  findReason: (field: Some) => string | undefined,
): { readonly fields: readonly Some[]; readonly refused: readonly Refusal[] } {
  const refused: Refusal[] = [];
  const fields = all.filter((one) => {
    const reason = findReason(one);
    if (reason !== undefined) refused.push({ address: one.declaration.address, field: one.field, reason });
    return reason === undefined;
  });
  return { fields, refused };
}

/** Whether a value is written outside the environment that is chosen, and perhaps for others, too. Those of a template are known. */
export function isShared({ environment }: Manifest, { edit: { origin } }: { readonly edit: Edit }): boolean {
  const isOwn = origin.at === "template" || (origin.at === "yaml" && origin.path[0] === "environments");
  return environment !== undefined && !isOwn;
}

function usersByPlace({ declarations }: Manifest): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const declaration of declarations) {
    for (const [field, origin] of Object.entries(declaration.origins)) {
      // What is made of files changes with them; edits of it are settled in `settleComposed`.
      const files = origin.at === "template" ? [...origin.composition.files] : [];
      for (const place of origin.at === "template" ? files.map(wholeFile) : [placeKey(origin)])
        users.set(place, [...(users.get(place) ?? []), nameField({ declaration, field })]);
    }
  }
  return users;
}

const wholeFile = (file: string) => placeKey({ at: "file", file });

function placeKey(origin: Pick<Origin, "at" | "file">): string {
  return JSON.stringify([origin.at, origin.file, "path" in origin ? origin.path : []]);
}

function nameField({ declaration, field }: Omit<FieldToWrite, "value">): string {
  return `${declaration.address}.${field}`;
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
