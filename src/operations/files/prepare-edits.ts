import { isMapping, listNames } from "../../base/text/index.js";
import {
  areValuesEqual,
  createValidator,
  type Field,
  getEmptyValue,
  type Kind,
  kinds,
  normalizeLineEnds,
  type RemoteObject,
  type Validator,
  type Value,
} from "../../core/kinds/index.js";
import {
  createOverrideFinder,
  type Declaration,
  type DeclarationEdit,
  defaultPolicies,
  editFiles,
  findOrigin,
  type Manifest,
  type NodeOrigin,
  type Policies,
  toDeclaredValue,
  toOriginKey,
  type WriteBackResult,
  writeBack,
} from "../../core/manifest/index.js";
import { type ComposedText, placeAllEdits } from "../../core/templates/index.js";
import { findErrors } from "../../review/policy/index.js";
import { findEffectsInCode } from "./effects-in-code.js";
import {
  type FieldMerge,
  type FieldToWrite,
  findField,
  nameField,
  type PreparedEdit,
  partitionByRefusal,
  type RefusedEdit,
  toEdits,
} from "./field-to-write.js";
import { rejectInlineMarkers } from "./merge-field.js";

/** Edits to the files, and values that cannot be written. */
export interface PreparedEdits {
  readonly fields: readonly PreparedEdit[];
  readonly refused: readonly RefusedEdit[];
}

/**
 * Finds where to write each value in the files. Writes nothing.
 *
 * @param onlyThisObject whether to keep edits to shared text from changing other objects, if possible.
 */
export async function prepareEdits(
  requested: readonly FieldToWrite[],
  manifest: Manifest,
  onlyThisObject = false,
): Promise<PreparedEdits> {
  const validators = new Map(
    kinds.map((kind) => [kind.name, createValidator(kind, manifest.service.allowedValues)]),
  );
  const loadable = partitionByRefusal(requested, (field) =>
    findProblem(field, validators.get(field.declaration.kind.name), manifest.policies ?? defaultPolicies),
  );
  const found = partitionByRefusal(loadable.fields, ({ declaration, field }) =>
    findOrigin(declaration, field) ? undefined : "The files do not declare this field. Declare it first.",
  );
  const placed = found.fields.map((field): PreparedEdit => {
    const origin = findOrigin(field.declaration, field.field) as NodeOrigin;
    const declared = field.declaration.spec[field.field];
    const facts = findField(field);
    const before = declared === undefined ? undefined : toDeclaredValue(facts, declared);
    return { ...field, edit: { origin, value: chooseValueToWrite(facts, field.value, declared), before } };
  });
  const users = findUsers(placed, manifest);
  const resolve = (fields: readonly PreparedEdit[], inCode: readonly TextUser[] = []) =>
    resolveSharedEdits(fields, [...users, ...inCode], onlyThisObject, createOverrideFinder(manifest));
  const first = resolve(placed);
  const { effects, problems } = await findEffectsInCode(first.fields, manifest);
  const valid = partitionByRefusal(placed, (field) => problems.get(nameField(field)));
  const inCode = first.fields.flatMap((field) => toUsersInCode(field, effects.get(nameField(field))));
  const settled = effects.size + problems.size > 0 ? resolve(valid.fields, inCode) : first;
  // Applies all edits to the current files in memory.
  const edited = editFiles(manifest.root, toEdits(settled.fields));
  const tried = moveRefused(settled.fields, edited);
  const marked = rejectInlineMarkers(tried.fields, edited);
  const refused = [loadable, found, valid, settled, tried, marked].flatMap((step) => step.refused);
  return { fields: marked.fields, refused };
}

/** Explains why the files would not load with this live value. Returns undefined if the files would load. */
function findProblem(
  { declaration, field, value, merge }: FieldToWrite,
  validate: Validator | undefined,
  policies: Policies,
): string | undefined {
  const { address, id, spec } = declaration;
  const judged = { ...declaration, spec: { [field]: value } };
  const hasMarkers = findErrors(policies, judged).some(({ rule }) => rule === "merge-conflict");
  if (merge?.favor === "markers" && !hasMarkers)
    return "The rule `merge-conflict` does not cover this field, so `validate` would accept the markers. Use --ours or --theirs.";
  if (merge?.favor !== "markers" && hasMarkers)
    return "The live text contains git conflict markers, which the rule `merge-conflict` does not allow in the files. Resolve the conflict in the account.";
  const values = { ...spec, ...(id === undefined ? {} : { id }), [field]: value };
  // Drops server-assigned keys of list entries, which the validator rejects and files do not contain.
  const problem = validate?.(address, values).find(
    ({ code, path: [name] }) => name === field && code !== "unknown-field",
  );
  return (
    problem && `The live value is not valid in the files: ${problem.message}. Correct it in the account.`
  );
}

/** Writes the edits into the project's files. Adds edits that cannot be written to `refused`. */
export async function writeEdits(
  root: string,
  { fields, refused }: PreparedEdits,
): Promise<PreparedEdits & { readonly files: readonly string[] }> {
  const written = await writeBack(root, toEdits(fields));
  const kept = moveRefused(fields, written);
  const files = written.files.map(({ file }) => file);
  return { fields: kept.fields, refused: [...refused, ...kept.refused], files };
}

/** Lists the files that a value is written to, relative to the project folder. */
function listEditedFiles({ edit: { origin, replaced } }: PreparedEdit): readonly string[] {
  return replaced ? [...new Set(replaced.map(({ range }) => range.source.target))] : [origin.file];
}

/** Lists the written fields with their files. */
export function listEditedFields(fields: readonly PreparedEdit[]) {
  return fields.flatMap((one) =>
    listEditedFiles(one).map((file) => ({
      ...{ address: one.declaration.address, field: one.field, file },
      ...(one.merge && { merged: describeMerge(one.merge) }),
    })),
  );
}

function describeMerge({ added, kept, conflicts, favor }: FieldMerge) {
  return { dashboard: added, yours: kept, ...(favor && { resolved: favor, conflicts }) };
}

/** A field whose text may change with these edits, in any environment. */
interface TextUser {
  /** Address and field. Includes the environment unless it is the chosen one. */
  readonly name: string;
  readonly origin: NodeOrigin;
}

/** Finds the fields whose text may change with these edits, in all environments. */
function findUsers(placed: readonly PreparedEdit[], { declarations, elsewhere }: Manifest): TextUser[] {
  // A value added outside an environment applies to all environments that do not set it.
  const added = placed.filter(
    ({ declaration, field, edit: { origin } }) =>
      !declaration.origins[field] && !("path" in origin && origin.path[0] === "environments"),
  );
  const listUsers = (all: readonly Declaration[], suffix: string) =>
    all.flatMap((declaration) => {
      const { address, origins } = declaration;
      const lacking = added.filter((one) => one.declaration.address === address && !origins[one.field]);
      const own = lacking.map(({ field, edit }): [string, NodeOrigin] => [field, edit.origin]);
      return [...Object.entries(origins), ...own].map(([field, origin]): TextUser => {
        return { name: `${nameField({ declaration, field })}${suffix}`, origin };
      });
    });
  const all = [
    ...listUsers(declarations, ""),
    ...Array.from(elsewhere, ([name, others]) => listUsers(others, ` (${name})`)).flat(),
  ];
  const keys = new Set(placed.flatMap(({ edit }) => listOriginKeys(edit.origin)));
  return all.filter(({ origin }) => origin.at === "template" || keys.has(toOriginKey(origin)));
}

/** Lists the texts that code makes of an edited file as users of that file. */
function toUsersInCode(field: PreparedEdit, names: readonly string[] = []): TextUser[] {
  const { edit, others = [] } = field;
  const files = listEditedFiles(field).map((file) => ({ at: "file", file }) as const);
  const origins = edit.replaced ? files : [edit.origin];
  return names
    .filter((name) => !others.includes(name))
    .flatMap((name) => origins.map((origin) => ({ name, origin })));
}

/** Returns keys for the location of a text. A composed text has one for each of its files. */
function listOriginKeys(origin: NodeOrigin): readonly string[] {
  return origin.at === "template" ? [...origin.composition.targets].map(toFileKey) : [toOriginKey(origin)];
}

/**
 * Finds the other texts that each edit changes. With `onlyThisObject`, moves edits to shared text into the chosen
 * environment, if any.
 */
function resolveSharedEdits(
  placed: readonly PreparedEdit[],
  users: readonly TextUser[],
  onlyThisObject: boolean,
  findOverride: ReturnType<typeof createOverrideFinder>,
): PreparedEdits {
  const canMove = onlyThisObject && findOverride !== undefined;
  const composed = resolveComposed(placed, users, onlyThisObject);
  const settled = resolveShared(composed.fields, users, canMove);
  const apart = canMove ? settled.fields.filter(({ others = [] }) => others.length > 0) : [];
  if (!canMove || apart.length === 0)
    return { fields: settled.fields, refused: [...composed.refused, ...settled.refused] };
  const names = new Set(apart.map(nameField));
  const rest = resolveSharedEdits(
    placed.filter((field) => !names.has(nameField(field))),
    users.filter(({ name }) => !names.has(name)),
    onlyThisObject,
    findOverride,
  );
  const written = apart.map((field) => {
    const origin = findOverride(field.declaration, field.field);
    const edit: DeclarationEdit = { origin, value: field.edit.value };
    return { ...field, edit, others: [] };
  });
  return { fields: [...written, ...rest.fields], refused: rest.refused };
}

/**
 * Lists the other fields at an edited location. Refuses edits that would write different values to the same location.
 */
function resolveShared(
  placed: readonly PreparedEdit[],
  users: readonly TextUser[],
  isApart: boolean,
): PreparedEdits {
  const pulled = new Map(placed.map((field) => [nameField(field), field]));
  const composed = new Set(users.flatMap(({ name, origin }) => (origin.at === "template" ? [name] : [])));
  const byOrigin = new Map<string, string[]>();
  for (const { name, origin } of users) {
    // A composed text uses all of its files. `resolveComposed` handles edits to it.
    for (const key of listOriginKeys(origin)) byOrigin.set(key, [...(byOrigin.get(key) ?? []), name]);
  }
  const refused: RefusedEdit[] = [];
  const fields = placed.flatMap((field): PreparedEdit[] => {
    const { origin, replaced } = field.edit;
    const keys = replaced ? listEditedFiles(field).map(toFileKey) : [toOriginKey(origin)];
    const others = keys
      .flatMap((key) => byOrigin.get(key) ?? [])
      .filter((user) => {
        const two = pulled.get(user);
        const isSame = two && areValuesEqual(findField(field), field.value, two.value);
        return user !== nameField(field) && !isSame && !(replaced && composed.has(user));
      });
    const other = isApart ? undefined : others.find((user) => pulled.has(user));
    if (other === undefined) return [{ ...field, others: [...(field.others ?? []), ...others] }];
    const advice = "Give each object its own text, or pull both once their live texts match.";
    const reason = `${other} also uses the text in ${listEditedFiles(field).join(", ")}, but has a different live text. ${advice}`;
    refused.push({ address: field.declaration.address, field: field.field, reason });
    return [];
  });
  return { fields, refused };
}

/** Resolves edits to composed texts. Editing a partial also changes other texts. */
function resolveComposed(
  fields: readonly PreparedEdit[],
  users: readonly TextUser[],
  onlyThisObject: boolean,
): PreparedEdits {
  const edited = fields.filter(({ edit }) => edit.origin.at === "template");
  const wanted = new Map(edited.map((field) => [nameField(field), normalizeLineEnds(field.value as string)]));
  const texts = users.flatMap(({ name, origin }): ComposedText[] =>
    origin.at === "template" ? [{ name, composition: origin.composition }] : [],
  );
  const put = placeAllEdits(wanted, texts, onlyThisObject);
  const placed = new Map(put.placed.map((text) => [text.name, text]));
  const settled = partitionByRefusal(fields, (field) => put.refused.get(nameField(field)));
  return {
    ...settled,
    fields: settled.fields.map((field) => {
      const { edits: replaced, others = [] } = placed.get(nameField(field)) ?? {};
      return { ...field, edit: { ...field.edit, replaced }, others: others.map(({ name }) => name) };
    }),
  };
}

/** Lists the other texts that these edits would change. */
export function listSideEffects(fields: readonly PreparedEdit[]): string[] {
  return [...new Set(fields.flatMap(({ others = [] }) => others))];
}

/** Removes edits that change other texts. Repeats, because removing one edit can affect the others. */
export async function removeShared(
  { fields, refused }: PreparedEdits,
  manifest: Manifest,
  onlyThisObject: boolean,
): Promise<PreparedEdits> {
  const way = onlyThisObject ? "give this object its own text" : "--here to change only this object";
  const kept = partitionByRefusal(fields, ({ others = [] }) =>
    others.length > 0
      ? `${listNames(others)} would also change. Add --auto-approve to change all, or ${way}.`
      : undefined,
  );
  if (kept.refused.length === 0) return { fields, refused };
  const prepared = await prepareEdits(kept.fields, manifest, onlyThisObject);
  const again = await removeShared(prepared, manifest, onlyThisObject);
  return { ...again, refused: [...refused, ...kept.refused, ...again.refused] };
}

/** Removes fields whose edit failed, and adds them to `refused`. */
function moveRefused(fields: readonly PreparedEdit[], { refused }: WriteBackResult): PreparedEdits {
  const reasons = new Map(refused.map(({ origin, reason }) => [toOriginKey(origin), reason]));
  return partitionByRefusal(fields, ({ edit: { origin } }) => {
    const reason = reasons.get(toOriginKey(origin));
    return reason && `The value cannot be written to ${origin.file}: ${reason}.`;
  });
}

const toFileKey = (file: string) => toOriginKey({ at: "file", file });

/** Converts a live value for the files. For a mapping, keeps only the parts that differ from the declaration. */
function chooseValueToWrite(field: Field, value: Value, declared: Value | undefined): Value {
  if (field.type !== "object" || !isMapping(value)) return toDeclaredValue(field, value);
  const parts = Object.entries(field.parts).flatMap(([name, part]): [string, Value][] => {
    const now = value[name] ?? getEmptyValue(part);
    const before = isMapping(declared) ? (declared[name] as Value) : undefined;
    if (now === undefined || areValuesEqual(part, now, before)) return [];
    return [[name, chooseValueToWrite(part, now, before)]];
  });
  return Object.fromEntries(parts);
}

/** Returns the live value of a field, or its empty value if it is not set. */
export function getLiveValue(kind: Kind, { spec }: RemoteObject, field: string): Value {
  const facts = kind.fields[field];
  return spec[field] ?? (facts && getEmptyValue(facts)) ?? "";
}
