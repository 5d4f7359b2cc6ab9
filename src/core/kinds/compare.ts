import { createHash } from "node:crypto";
import { canonicalId, isMapping } from "../../base/text/index.js";
import type { Field, Item, Kind, ScalarField, Spec, Value } from "./kind.js";

/** null and absent are "" (the document gives them no other meaning); text keeps its bytes. */
export function canonical(text: string | null | undefined): string {
  return text ?? "";
}

/** Whether a field is a number, or true or false. */
export function isScalar(field: Field): field is ScalarField {
  return field.type === "number" || field.type === "boolean";
}

/** The empty value of a field, which equals an absent field. */
export function emptyValue(field: Field): Value | undefined {
  if (field.type === "list") return [];
  if (field.type === "object") {
    const parts = mapValues(field.parts, emptyValue);
    return Object.values(parts).includes(undefined) ? undefined : (parts as Value);
  }
  if (isScalar(field)) return field.default;
  return field.clearable ? "" : undefined;
}

/** Whether two values of a field are equal: absent equals empty, and assigned keys do not count. */
export function sameValue(field: Field, a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  return JSON.stringify(comparable(field, a)) === JSON.stringify(comparable(field, b));
}

/**
 * The value in normal form, without what never counts. Line ends do not count: a checkout on Windows has
 * different ones, and so has a text pasted into a form.
 */
export function comparable(field: Field, value: Value | undefined): Value | null {
  const given = value ?? emptyValue(field) ?? null;
  if (field.type === "reference" && typeof given === "string") return canonicalId(given);
  if (typeof given === "string") return withLineFeeds(given);
  if (field.type === "list" && Array.isArray(given))
    return given.map((entry: Value) => comparable(field.item, entry) as Value);
  if (field.type === "object" && isMapping(given))
    return mapValues(field.parts, (part, name) => comparable(part, given[name] as Value)) as Value;
  return given;
}

/** The object with other values under its keys. */
function mapValues<Part, Made>(
  parts: Readonly<Record<string, Part>>,
  make: (part: Part, name: string) => Made,
): Record<string, Made> {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, make(part, name)]));
}

/** The text with line feeds as line ends. Other characters, such as a lone carriage return, stay. */
export function withLineFeeds(text: string): string {
  // Replaces whole runs: a text that was converted twice has "\r\r\n", and the rest must not be a line end
  // again.
  return text.includes("\r\n") ? text.replace(/\r+\n?/g, (end) => (end.endsWith("\n") ? "\n" : end)) : text;
}

/** The value with other texts in place of each, at any depth. */
export function mapTexts(value: Value, change: (text: string) => string): Value {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((entry: Value) => mapTexts(entry, change));
  return mapValues(value as Item, (part) => mapTexts(part, change));
}

/** The fields that are compared: all except ignored and write-only ones. */
export function readableFields(kind: Kind): [name: string, field: Field][] {
  return Object.entries(kind.fields).filter(([, field]) => !field.ignored && !field.writeOnly);
}

/** The names of the fields that are not compared because `ignore_changes` names them. */
export function ignoredFields({ fields }: Kind): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.ignored);
}

/** The kind with these fields ignored, and no others. */
export function withIgnored(kind: Kind, names: readonly string[]): Kind {
  const fields = Object.entries(kind.fields).map(([name, { ignored: _, ...field }]) => [
    name,
    names.includes(name) ? { ...field, ignored: true } : field,
  ]);
  return { ...kind, fields: Object.fromEntries(fields) as Kind["fields"] };
}

/** The readable fields of a spec that differ from another one. `normalize`: the form in which they are compared. */
export function differingFields(
  kind: Kind,
  spec: Spec,
  other: Spec,
  normalize: (value: Value | undefined) => Value | undefined = (value) => value,
): readonly string[] {
  return readableFields(kind)
    .filter(
      ([name, field]) =>
        spec[name] !== undefined && !sameValue(field, normalize(spec[name]), normalize(other[name])),
    )
    .map(([name]) => name);
}

/** The size of a text or a list: "12,000 characters", "1 link"; another value itself. */
export function fieldSize(kind: Kind, name: string, { [name]: value }: Spec): string {
  const field = kind.fields[name];
  if (value !== undefined && typeof value !== "string" && !Array.isArray(value)) return JSON.stringify(value);
  const count = value?.length ?? 0;
  const noun = field?.type === "list" ? field.entry : "character";
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** The kind's fields that name other objects, with the name of the kind of each. */
export function referenceFields(kind: Kind | undefined): [name: string, kind: string][] {
  return Object.entries(kind?.fields ?? {}).flatMap(([name, field]): [string, string][] =>
    field.type === "reference" ? [[name, field.kind]] : [],
  );
}

/** The fields whose values come from a source and are never stored. */
export function writeOnlyFields(kind: Kind): string[] {
  return Object.keys(kind.fields).filter((name) => {
    const field = kind.fields[name];
    return field?.type === "string" && field.writeOnly === true;
  });
}

/**
 * Whether a new declaration may take over an object because of its name. What would be adopted has to be compared with what
 * is declared, or written once more: a value that is never read back and never updated is neither.
 */
export function isAdoptableByName(kind: Kind): boolean {
  return kind.update !== undefined || writeOnlyFields(kind).length === 0;
}

/**
 * Digest of the comparable form: `1:` (the version of the method, so that a new method never looks like
 * drift) and 128 bits of SHA-256 in base64url.
 */
export function digestValue(value: unknown): string {
  return `1:${createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22)}`;
}

export function digestSpec(kind: Kind, spec: Spec): string {
  return digestValue(readableFields(kind).map(([name, field]) => [name, comparable(field, spec[name])]));
}
