import * as z from "zod";
import { findNearest, suggest } from "../../base/diagnostics/index.js";
import { uuidForm } from "../../base/text/index.js";
import { isScalar, listReadableFields, listWriteOnlyFields } from "./compare.js";
import type { Field, Kind, ObjectField, ScalarField, StringField } from "./kind.js";
import { hasStock, isRemovable, isSupersededOnChange } from "./profile.js";
import { readStockName } from "./stock.js";

/** A problem with a value, without its position in a file, which the caller adds. */
export interface ValueProblem {
  readonly code: "missing-field" | "not-allowed-value" | "unknown-field" | "wrong-type" | "literal-secret";
  /** Path from the checked value to the wrong value, including the unknown or missing key. */
  readonly path: readonly (string | number)[];
  /** One sentence that starts with the address. Never contains the value of a write-only field. */
  readonly message: string;
  readonly hint?: string;
}

/** Additional allowed values of fields, by setting name. */
export type AllowedValues = Readonly<Record<string, readonly string[]>>;

/** Checks the declared values of one object, including an adopted `id`. `subject` starts each message. */
export type Validator = (subject: string, values: unknown) => ValueProblem[];

/** Creates the validator for a kind from its fields. Write-only fields may have a source. */
export function createValidator(kind: Kind, allowed: AllowedValues = {}): Validator {
  const schema = createObjectSchema(kind, allowed);
  return (subject, values) => findProblems(schema, subject, values);
}

export const protectDescription =
  "Neither delete nor forget the object when its declaration is removed. Recorded in the state, so it stays in effect until a declaration without `protect` is applied.";

/** What happens to an object whose declaration is removed. */
export const removalPolicies = ["forget", "delete"] as const;

export type RemovalPolicy = (typeof removalPolicies)[number];

export const onRemovalDescription =
  "Whether to forget or delete the object when it is removed from the files: `forget` (the default) keeps it in the account, and `delete` deletes it. Recorded in the state by an apply.";

/** Whether a superseded object is kept or deleted. */
export const rotationPolicies = ["keep_old", "delete_old"] as const;

export type RotationPolicy = (typeof rotationPolicies)[number];

export const onRotationDescription =
  "Whether to keep or delete the old object when a new object is created for a new value: `keep_old` (the default) keeps it in the account, and `delete_old` deletes it once no other object refers to it.";

export const ignoreChangesDescription =
  "Names of fields that are managed elsewhere, such as in the dashboard. They are set when the object is created, then neither compared nor changed.";

/** Returns the name of the field with a write-only value's version. */
export function toVersionField(name: string): string {
  return `${name}_version`;
}

export function describeVersionField(name: string): string {
  return `Version of \`${name}\`, a number or a string. If set, the value is sent again only when the version changes. Use it for sources that return a new value on every read.`;
}

function createVersionForm(name: string): z.ZodType {
  const isVersion = (value: unknown) =>
    Number.isSafeInteger(value) || (typeof value === "string" && /^.{1,200}$/.test(value));
  return z
    .any()
    .refine(isVersion, "must be a whole number or a string of 1 to 200 characters")
    .meta({ type: ["string", "integer"], description: describeVersionField(name) })
    .optional();
}

/** Cached schemas of kinds without additional allowed values. */
const schemaCache = new WeakMap<Kind, z.ZodObject>();

export function createObjectSchema(kind: Kind, allowed: AllowedValues = {}): z.ZodObject {
  if (Object.values(allowed).some(({ length }) => length > 0)) return createNewObjectSchema(kind, allowed);
  const schema = schemaCache.get(kind) ?? createNewObjectSchema(kind, {});
  schemaCache.set(kind, schema);
  return schema;
}

function createNewObjectSchema(kind: Kind, allowed: AllowedValues): z.ZodObject {
  const stock = hasStock(kind) ? `, or \`!stock_${kind.name} NAME\` if the profile has stock objects` : "";
  const given = {
    id: createIdSchema(kind).describe(`Id of the object in the service (a UUID of any version)${stock}.`),
  };
  return z.strictObject({
    ...(kind.identity === "adopted" ? given : {}),
    ...Object.fromEntries(
      Object.entries(kind.fields).map(([name, field]) => [name, createFieldSchema(field, allowed)]),
    ),
    ...Object.fromEntries(
      listWriteOnlyFields(kind).map((name) => [toVersionField(name), createVersionForm(name)]),
    ),
    protect: z.boolean().optional().describe(protectDescription),
    ignore_changes: z
      .array(z.enum(listReadableFields(kind).map(([name]) => name)))
      .optional()
      .describe(ignoreChangesDescription),
    ...(isRemovable(kind)
      ? { on_removal: z.enum(removalPolicies).optional().describe(onRemovalDescription) }
      : {}),
    ...(isSupersededOnChange(kind)
      ? { on_rotation: z.enum(rotationPolicies).optional().describe(onRotationDescription) }
      : {}),
  });
}

/** Returns the schema for an id, or for a stock object's name if the kind has stock objects. */
export function createIdSchema(kind: Kind): z.ZodType {
  if (!hasStock(kind)) return formats.uuid;
  const isIdOrName = (text: string) =>
    readStockName(text)?.kind === kind.name || formats.uuid.safeParse(text).success;
  return z.stringFormat("id", isIdOrName, notUuid);
}

/** Placeholder for a value from a source, which is unknown during validation. */
export const sourcePlaceholder = Symbol("source");

/**
 * Returns the schema of a value that is a literal or comes from a source tag. Only literals are checked. `source-only`
 * marks the value for the editor schema.
 */
export function createLiteralOrSource(text: z.ZodType, description: string, only?: "source-only"): z.ZodType {
  return z
    .any()
    .superRefine((value, context) => {
      if (value === sourcePlaceholder || value === undefined) return;
      for (const issue of text.safeParse(value).error?.issues ?? [])
        context.issues.push({ ...issue } as never);
    })
    .meta({ type: ["string", "array", "object"], description, literalOrSource: only ?? "or-literal" });
}

export function findProblems(schema: z.ZodType, subject: string, values: unknown): ValueProblem[] {
  // Disables zod's code generation, which only pays off in long runs.
  const issues = schema.safeParse(values, { jitless: true }).error?.issues ?? [];
  const problems = issues.flatMap((issue) => toProblems(issue, schema, subject, values));
  // Reports a misspelled field only as unknown, not also as missing.
  const meant = new Set(problems.map(({ meant }) => meant && JSON.stringify(meant)));
  return problems
    .filter(({ code, path }) => code !== "missing-field" || !meant.has(JSON.stringify(path)))
    .map(({ meant: _, ...problem }) => problem);
}

/** A problem and, if known, the path to the field that the user meant. */
type FieldProblem = ValueProblem & { readonly meant?: readonly (string | number)[] | undefined };

export function createFieldSchema(field: Field, allowed: AllowedValues = {}): z.ZodType {
  const schema = createValueSchema(field, allowed);
  return field.required ? schema : schema.optional();
}

function createValueSchema(field: Field, allowed: AllowedValues): z.ZodType {
  if (field.type === "list")
    return z.array(createValueSchema(field.item, allowed)).describe(field.description);
  if (field.type === "object") return createPartsSchema(field, allowed).describe(field.description);
  if (field.type === "reference") return z.string().min(1).describe(field.description);
  return isScalar(field) ? createScalarSchema(field) : createTextSchema(field, allowed);
}

function createPartsSchema({ parts }: ObjectField, allowed: AllowedValues): z.ZodObject {
  const shape = Object.entries(parts).map(([name, part]) => [name, createFieldSchema(part, allowed)]);
  return z.strictObject(Object.fromEntries(shape));
}

function createScalarSchema({ type, whole, minimum, maximum, description }: ScalarField): z.ZodType {
  if (type === "boolean") return z.boolean().describe(description);
  let number = whole ? z.int() : z.number();
  // Numbers beyond the safe integers would be rounded. z.int() already rejects them.
  if (minimum !== undefined || !whole) number = number.min(minimum ?? Number.MIN_SAFE_INTEGER);
  if (maximum !== undefined || !whole) number = number.max(maximum ?? Number.MAX_SAFE_INTEGER);
  return number.describe(description);
}

function createTextSchema(field: StringField, allowed: AllowedValues): z.ZodType {
  if (field.values) {
    const setting = field.valuesFrom?.name;
    const added = setting === undefined ? [] : (allowed[setting] ?? []);
    return z
      .enum([...field.values, ...added])
      .meta({ description: field.description, ...(setting === undefined ? {} : { valuesFrom: setting }) });
  }
  const { description, suggested } = field;
  if (suggested) return createSuggestedText(suggested).meta({ description, suggested });
  let text: z.ZodString = z.string();
  if (field.minLength !== undefined) text = text.min(field.minLength);
  if (field.maxLength !== undefined) text = text.max(field.maxLength);
  const formatted = field.format ? formats[field.format] : text;
  return field.writeOnly
    ? createLiteralOrSource(formatted, description, "source-only")
    : formatted.meta({ description, ...(field.prose ? { prose: true } : {}) });
}

/** Accepts any string except a likely typo of a known value, which the service might silently accept. */
function createSuggestedText(values: readonly string[]): z.ZodString {
  return z.string().superRefine((text, { addIssue }) => {
    if (!values.includes(text) && findNearest(text, values))
      addIssue({ code: "invalid_value", values: [...values], input: text });
  });
}

/** An HTTP URL, because the dashboard opens it in a browser. */
export const webAddress = z.url({ protocol: /^https?$/, error: "is not a URL (https://…)" });

const notUuid = `is not ${uuidForm}`;

const formats = {
  url: webAddress,
  uuid: z.guid(notUuid),
  // Allows at most three letters, to reject names of languages.
  language: z
    .string()
    .regex(/^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/, "is not a language code, such as en or pt-BR"),
} as const satisfies Record<NonNullable<StringField["format"]>, z.ZodType>;

type Issue = z.core.$ZodIssue;

function toProblems(issue: Issue, schema: z.ZodType, subject: string, values: unknown): FieldProblem[] {
  const path = issue.path as (string | number)[];
  const name = nameSubject(subject, path);
  const found = getValueAt(values, path);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => describeUnknownField(key, path, name, findSchema(schema, path)));
    case "too_small":
    case "too_big":
      return [describeOutOfBounds(issue, path, name, found)];
    case "invalid_value":
      if (typeof found === "string") return [describeNotAllowed(issue, path, name, found, schema)];
      break;
    case "invalid_type":
      break;
    case "invalid_key": {
      const owner = nameSubject(subject, path.slice(0, -1));
      const message = `${owner}: ${JSON.stringify(path.at(-1))} ${issue.issues[0]?.message}`;
      return [{ code: "not-allowed-value", path, message }];
    }
    default: {
      // The message of a custom check follows the subject, such as "context.support.name is empty".
      const { code = "not-allowed-value", hint } = (issue.code === "custom" && issue.params) || {};
      return [{ code, path, message: `${name} ${issue.message}`, ...(hint ? { hint } : {}) }];
    }
  }
  const key = path.at(-1);
  if (found === undefined && key !== undefined) {
    const owner = nameSubject(subject, path.slice(0, -1));
    const message = `${owner} is missing ${JSON.stringify(key)}`;
    return [{ code: "missing-field", path, message, hint: `add "${key}: …"` }];
  }
  return [describeWrongType(issue, path, name, found)];
}

function describeUnknownField(
  key: string,
  path: readonly (string | number)[],
  name: string,
  schema: z.ZodType | undefined,
): FieldProblem {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const meant = findNearest(key, known);
  return {
    code: "unknown-field",
    path: [...path, key],
    message: `${name} has no field ${JSON.stringify(key)}`,
    hint: meant ? `did you mean "${meant}"?` : `its fields are ${known.join(", ")}`,
    meant: meant === undefined ? undefined : [...path, meant],
  };
}

function describeNotAllowed(
  issue: Extract<Issue, { code: "invalid_value" }>,
  path: readonly (string | number)[],
  name: string,
  found: string,
  schema: z.ZodType,
): ValueProblem {
  const values = issue.values.map(String);
  const setting = findSchema(schema, path)?.meta()?.valuesFrom;
  const way = setting ? `. If the service accepts this value, add it to service.${setting}` : "";
  const message = `${name} does not allow ${JSON.stringify(found)}${way}`;
  const hint = suggest(found, values, `the allowed values are ${values.join(", ")}`);
  return { code: "not-allowed-value", path, message, hint };
}

function describeOutOfBounds(
  issue: Extract<Issue, { code: "too_small" | "too_big" }>,
  path: readonly (string | number)[],
  name: string,
  found: unknown,
): ValueProblem {
  const [bound, limit] =
    issue.code === "too_big"
      ? ["at most", issue.maximum]
      : [issue.inclusive ? "at least" : "more than", issue.minimum];
  const isText = typeof found === "string";
  const problem = isText
    ? `has ${found.length} characters, but ${bound} ${limit} are allowed`
    : `must be ${bound} ${limit}`;
  const isEmpty = (isText || Array.isArray(found)) && found.length === 0;
  return { code: "not-allowed-value", path, message: `${name} ${isEmpty ? "is empty" : problem}` };
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
  boolean: "true or false",
  number: "a number",
  int: "a whole number",
};

function describeWrongType(
  issue: Issue,
  path: readonly (string | number)[],
  name: string,
  found: unknown,
): ValueProblem {
  const expected = issue.code === "invalid_type" ? issue.expected : "string";
  const message = `${name} must be ${typeNames[expected] ?? expected}, not ${nameType(found)}`;
  const unquoted = expected === "string" && (typeof found === "number" || typeof found === "boolean");
  const nothing = expected === "string" && found === null;
  const hint = unquoted ? "put it in quotes" : nothing ? 'write "" for an empty string' : undefined;
  return { code: "wrong-type", path, message, ...(hint ? { hint } : {}) };
}

function nameType(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  const names: Record<string, string> = { string: "a string", object: "a mapping", boolean: "true or false" };
  return names[typeof value] ?? "a number";
}

/** Joins subject and path. Omits the subject for the top level of a manifest: `drift`, not `manifest.drift`. */
function nameSubject(subject: string, path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? key : `${text}.${key}`),
    subject,
  );
}

function getValueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (at as Record<string | number, unknown> | undefined)?.[key],
    value,
  );
}

/** Returns the schema at a path. In maps with arbitrary keys, returns the schema of the values. */
export function findSchema(schema: z.ZodType, path: readonly (string | number)[]): z.ZodType | undefined {
  let at: unknown = schema;
  for (const key of path) {
    while (at instanceof z.ZodOptional) at = at.unwrap();
    if (at instanceof z.ZodArray) at = at.element;
    else if (at instanceof z.ZodRecord) at = at.valueType;
    else if (at instanceof z.ZodObject) at = Object.hasOwn(at.shape, key) ? at.shape[key] : undefined;
    else if (!(at instanceof z.ZodAny)) return undefined;
  }
  while (at instanceof z.ZodOptional) at = at.unwrap();
  return at instanceof z.ZodType ? at : undefined;
}
