import { isMapping, listed } from "../../base/text/index.js";
import {
  createValidator,
  emptyValue,
  type Field,
  type Kind,
  kinds,
  type Live,
  sameValue,
  type Validator,
  type Value,
  withLineFeeds,
} from "../../core/kinds/index.js";
import {
  type Declaration,
  defaultPolicies,
  type Edit,
  editFiles,
  findOrigin,
  isCode,
  type Manifest,
  type Origin,
  type Policies,
  toDeclaredValue,
  type WrittenBack,
  writeBack,
} from "../../core/manifest/index.js";
import { type ComposedText, placeAllEdits } from "../../core/templates/index.js";
import { findErrors } from "../../review/policy/index.js";

/** What is written into the files, and what cannot be. */
export interface PreparedEdits {
  readonly fields: readonly PreparedEdit[];
  readonly refused: readonly RefusedEdit[];
}

/** A value to write, with its place in the files, and the other texts that it changes. */
export interface PreparedEdit extends FieldToWrite {
  readonly edit: Edit;
  readonly others?: readonly string[] | undefined;
}

/** A value to write into the files. */
export interface FieldToWrite {
  readonly declaration: Declaration;
  readonly field: string;
  readonly value: Value;
}

/** A field or a whole object that is not written. */
export interface RefusedEdit {
  readonly address: string;
  readonly field?: string;
  /** A sentence. */
  readonly reason: string;
}

/**
 * Finds the place of each value and prepares the edit; lists what cannot be written. Writes nothing.
 *
 * @param here edits that change others go into the object alone, as far as that can be: for others, the text stays.
 */
export function prepareEdits(
  requested: readonly FieldToWrite[],
  manifest: Manifest,
  here = false,
): PreparedEdits {
  const validators = new Map(
    kinds.map((kind) => [kind.name, createValidator(kind, manifest.service.allowedValues)]),
  );
  const loadable = refuseSome(requested, (field) =>
    problemIn(field, validators.get(field.declaration.kind.name), manifest.policies ?? defaultPolicies),
  );
  const found = refuseSome(loadable.fields, ({ declaration, field }) =>
    findOrigin(declaration, field) ? undefined : "The files have no place for it: declare it first.",
  );
  const placed = found.fields.map((field): PreparedEdit => {
    const origin = findOrigin(field.declaration, field.field) as Origin;
    const declared = field.declaration.spec[field.field];
    return { ...field, edit: { origin, value: valueToWrite(fieldFacts(field), field.value, declared) } };
  });
  const settled = resolveSharedEdits(placed, findUsers(placed, manifest), here, ownOrigins(manifest));
  // All edits in memory, to the files as they are now.
  const tried = withoutRefused(settled.fields, editFiles(manifest.root, toEdits(settled.fields)));
  const refused = [loadable, found, settled, tried].flatMap((step) => step.refused);
  return { fields: tried.fields, refused };
}

/** Why the files would not load with this live value. */
function problemIn(
  { declaration, field, value }: FieldToWrite,
  validate: Validator | undefined,
  policies: Policies,
): string | undefined {
  const { address, id, spec } = declaration;
  const judged = { ...declaration, spec: { [field]: value } };
  if (findErrors(policies, judged).some(({ rule }) => rule === "merge-conflict"))
    return "It has git's conflict markers, and the files could not be read with them: finish the merge in the account.";
  const values = { ...spec, ...(id === undefined ? {} : { id }), [field]: value };
  // The validator does not know the server-assigned keys of list entries, and they are not written.
  const problem = validate?.(address, values).find(
    ({ code, path: [name] }) => name === field && code !== "unknown-field",
  );
  return problem && `The files cannot hold the live value: ${problem.message}. Correct it in the account.`;
}

/** Writes them below a folder; what a file refuses is refused. */
export async function writeEdits(
  root: string,
  { fields, refused }: PreparedEdits,
): Promise<PreparedEdits & { readonly files: readonly string[] }> {
  const written = await writeBack(root, toEdits(fields));
  const kept = withoutRefused(fields, written);
  const files = written.files.map(({ file }) => file);
  return { fields: kept.fields, refused: [...refused, ...kept.refused], files };
}

/** The edits of the files; a place that several objects share is written once. */
function toEdits(fields: readonly PreparedEdit[]): Edit[] {
  return [...new Map(fields.map(({ edit }) => [edit.replaced ?? placeKey(edit.origin), edit])).values()];
}

/** The files in which a value is written, relative to the project folder. */
function listEditedFiles({ edit: { origin, replaced } }: PreparedEdit): readonly string[] {
  return replaced ? [...new Set(replaced.map(({ range }) => range.source.file))] : [origin.file];
}

/** Which field is written into which file. */
export function listWritten(fields: readonly PreparedEdit[]) {
  return fields.flatMap((one) =>
    listEditedFiles(one).map((file) => ({ address: one.declaration.address, field: one.field, file })),
  );
}

/** A field of an object of an environment, whose text is at a place that is edited, or made of files. */
interface User {
  /** With the environment, if it is not the chosen one. */
  readonly name: string;
  readonly origin: Origin;
}

/** Whose texts edits can change, in all environments. */
function findUsers(placed: readonly PreparedEdit[], { declarations, elsewhere }: Manifest): User[] {
  // What is added outside an environment is added wherever it lacks.
  const added = placed.filter(
    ({ declaration, field, edit: { origin } }) =>
      !declaration.origins[field] && !("path" in origin && origin.path[0] === "environments"),
  );
  const usersIn = (all: readonly Declaration[], suffix: string) =>
    all.flatMap((declaration) => {
      const { address, origins } = declaration;
      const lacking = added.filter((one) => one.declaration.address === address && !origins[one.field]);
      const own = lacking.map(({ field, edit }): [string, Origin] => [field, edit.origin]);
      return [...Object.entries(origins), ...own].map(([field, origin]): User => {
        return { name: `${nameField({ declaration, field })}${suffix}`, origin };
      });
    });
  const all = [
    ...usersIn(declarations, ""),
    ...Array.from(elsewhere, ([name, others]) => usersIn(others, ` (${name})`)).flat(),
  ];
  const places = new Set(placed.flatMap(({ edit }) => placesOf(edit.origin)));
  return all.filter(({ origin }) => origin.at === "template" || places.has(placeKey(origin)));
}

/** The place of a text; of one that is made of files, those. */
function placesOf(origin: Origin): readonly string[] {
  return origin.at === "template" ? [...origin.composition.files].map(wholeFile) : [placeKey(origin)];
}

/** Where a field is written for the chosen environment alone; undefined if none is chosen, or code declares it. */
function ownOrigins({ environment, file }: Manifest) {
  if (environment === undefined || isCode(file)) return undefined;
  return ({ declaration: { kind, key }, field }: FieldToWrite): Origin => {
    return { at: "yaml", file, path: ["environments", environment, kind.collection, key, field] };
  };
}

/** Finds which other texts each edit changes; with `here`, an edit that changes others is written where only `own` is. */
function resolveSharedEdits(
  placed: readonly PreparedEdit[],
  users: readonly User[],
  here: boolean,
  own: ReturnType<typeof ownOrigins>,
): PreparedEdits {
  const canMove = here && own !== undefined;
  const composed = resolveComposed(placed, users, here);
  const settled = resolveShared(composed.fields, users, canMove);
  const apart = canMove ? settled.fields.filter(({ others = [] }) => others.length > 0) : [];
  if (!canMove || apart.length === 0)
    return { fields: settled.fields, refused: [...composed.refused, ...settled.refused] };
  const names = new Set(apart.map(nameField));
  const rest = resolveSharedEdits(
    placed.filter((field) => !names.has(nameField(field))),
    users.filter(({ name }) => !names.has(name)),
    here,
    own,
  );
  const written = apart.map((field) => {
    const edit: Edit = { origin: own(field), value: field.edit.value };
    return { ...field, edit, others: [] };
  });
  return { fields: [...written, ...rest.fields], refused: rest.refused };
}

/** Names who else uses the text at a place. One that is edited, too, must get the same value. */
function resolveShared(
  placed: readonly PreparedEdit[],
  users: readonly User[],
  isApart: boolean,
): PreparedEdits {
  const pulled = new Map(placed.map((field) => [nameField(field), field]));
  const composed = new Set(users.flatMap(({ name, origin }) => (origin.at === "template" ? [name] : [])));
  const byPlace = new Map<string, string[]>();
  for (const { name, origin } of users) {
    // What is made of files changes with them; edits of it are settled in `resolveComposed`.
    for (const place of placesOf(origin)) byPlace.set(place, [...(byPlace.get(place) ?? []), name]);
  }
  const refused: RefusedEdit[] = [];
  const fields = placed.flatMap((field): PreparedEdit[] => {
    const { origin, replaced } = field.edit;
    const places = replaced ? listEditedFiles(field).map(wholeFile) : [placeKey(origin)];
    const others = places
      .flatMap((place) => byPlace.get(place) ?? [])
      .filter((user) => {
        const two = pulled.get(user);
        const isSame = two && sameValue(fieldFacts(field), field.value, two.value);
        return user !== nameField(field) && !isSame && !(replaced && composed.has(user));
      });
    const other = isApart ? undefined : others.find((user) => pulled.has(user));
    if (other === undefined) return [{ ...field, others: [...(field.others ?? []), ...others] }];
    const advice = "Give each object its own text, or pull both once they are equal.";
    const reason = `${other} also uses the text in ${listEditedFiles(field).join(", ")}, and it would not get the same value. ${advice}`;
    refused.push({ address: field.declaration.address, field: field.field, reason });
    return [];
  });
  return { fields, refused };
}

/** The edit of a partial changes whatever else is made of it. */
function resolveComposed(
  fields: readonly PreparedEdit[],
  users: readonly User[],
  here: boolean,
): PreparedEdits {
  const edited = fields.filter(({ edit }) => edit.origin.at === "template");
  const wanted = new Map(edited.map((field) => [nameField(field), withLineFeeds(field.value as string)]));
  const texts = users.flatMap(({ name, origin }): ComposedText[] =>
    origin.at === "template" ? [{ name, composition: origin.composition }] : [],
  );
  const put = placeAllEdits(wanted, texts, here);
  const placed = new Map(put.placed.map((text) => [text.name, text]));
  const settled = refuseSome(fields, (field) => put.refused.get(nameField(field)));
  return {
    ...settled,
    fields: settled.fields.map((field) => {
      const { edits: replaced, others = [] } = placed.get(nameField(field)) ?? {};
      return { ...field, edit: { ...field.edit, replaced }, others: others.map(({ name }) => name) };
    }),
  };
}

/** The texts that edits change beside what they are for. */
export function alsoChanged(fields: readonly PreparedEdit[]): string[] {
  return [...new Set(fields.flatMap(({ others = [] }) => others))];
}

/** Without the edits that change others. What is not written changes what the rest comes to. */
export function withoutShared(
  { fields, refused }: PreparedEdits,
  manifest: Manifest,
  here: boolean,
): PreparedEdits {
  const way = here ? "give it a text of its own" : "--here to change this one only";
  const kept = refuseSome(fields, ({ others = [] }) =>
    others.length > 0
      ? `${listed(others)} would change as well: add --auto-approve to change all, or ${way}.`
      : undefined,
  );
  if (kept.refused.length === 0) return { fields, refused };
  const again = withoutShared(prepareEdits(kept.fields, manifest, here), manifest, here);
  return { ...again, refused: [...refused, ...kept.refused, ...again.refused] };
}

/** Without those whose edit was refused. */
function withoutRefused(fields: readonly PreparedEdit[], { refused }: WrittenBack): PreparedEdits {
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
): { readonly fields: readonly Some[]; readonly refused: readonly RefusedEdit[] } {
  const refused: RefusedEdit[] = [];
  const fields = all.filter((one) => {
    const reason = findReason(one);
    if (reason !== undefined) refused.push({ address: one.declaration.address, field: one.field, reason });
    return reason === undefined;
  });
  return { fields, refused };
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

/** In the form in which files declare it; of an object, the parts that differ from the declared ones. */
function valueToWrite(field: Field, value: Value, declared: Value | undefined): Value {
  if (field.type !== "object" || !isMapping(value)) return toDeclaredValue(field, value);
  const parts = Object.entries(field.parts).flatMap(([name, part]): [string, Value][] => {
    const now = value[name] ?? emptyValue(part);
    const before = isMapping(declared) ? (declared[name] as Value) : undefined;
    if (now === undefined || sameValue(part, now, before)) return [];
    return [[name, valueToWrite(part, now, before)]];
  });
  return Object.fromEntries(parts);
}

/** What the account has in a field; the empty value if it has none. */
export function liveValue(kind: Kind, { spec }: Live, field: string): Value {
  const facts = kind.fields[field];
  return spec[field] ?? (facts && emptyValue(facts)) ?? "";
}
