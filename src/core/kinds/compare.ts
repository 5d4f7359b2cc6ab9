import { createHash } from "node:crypto";
import { isMapping, toCanonicalId } from "../../base/text/index.js";
import type { Field, Kind, ObjectValue, ScalarField, Spec, Value } from "./kind.js";

/**
 * Returns "" for null and absent strings, which the documentation treats as equivalent. Returns other strings
 * unchanged.
 */
export function emptyIfAbsent(text: string | null | undefined): string {
  return text ?? "";
}

export function isScalar(field: Field): field is ScalarField {
  return field.type === "number" || field.type === "boolean";
}

/** Returns the value that an absent field is equal to. */
export function getEmptyValue(field: Field): Value | undefined {
  if (field.type === "list") return [];
  if (field.type === "object") {
    const parts = mapValues(field.parts, getEmptyValue);
    return Object.values(parts).includes(undefined) ? undefined : (parts as Value);
  }
  if (isScalar(field)) return field.default;
  return field.clearable ? "" : undefined;
}

/** Returns whether two values of a field are equal. Absent equals empty, and server-assigned keys are ignored. */
export function areValuesEqual(field: Field, a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  return (
    JSON.stringify(normalizeForComparison(field, a)) === JSON.stringify(normalizeForComparison(field, b))
  );
}

/**
 * Normalizes a value for comparison. Removes server-assigned keys, fills in empty values for absent ones, and unifies
 * line endings, because they differ in Windows checkouts and in text pasted into a form.
 */
export function normalizeForComparison(field: Field, value: Value | undefined): Value | null {
  const given = value ?? getEmptyValue(field) ?? null;
  if (field.type === "reference" && typeof given === "string") return toCanonicalId(given);
  if (typeof given === "string") return normalizeLineEnds(given);
  if (field.type === "list" && Array.isArray(given))
    return given.map((entry: Value) => normalizeForComparison(field.item, entry) as Value);
  if (field.type === "object" && isMapping(given))
    return mapValues(field.parts, (part, name) =>
      normalizeForComparison(part, given[name] as Value),
    ) as Value;
  return given;
}

function mapValues<Part, Made>(
  parts: Readonly<Record<string, Part>>,
  make: (part: Part, name: string) => Made,
): Record<string, Made> {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, make(part, name)]));
}

/** Converts line endings to line feeds. A lone carriage return is kept. */
export function normalizeLineEnds(text: string): string {
  // Text that was converted twice contains "\r\r\n". Replacing only "\r\n" would leave another "\r\n".
  return text.includes("\r\n") ? text.replace(/\r+\n?/g, (end) => (end.endsWith("\n") ? "\n" : end)) : text;
}

/** Changes every string in a value, at any depth. */
export function mapTexts(value: Value, change: (text: string) => string): Value {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((entry: Value) => mapTexts(entry, change));
  return mapValues(value as ObjectValue, (part) => mapTexts(part, change));
}

/** Returns the compared fields: all except ignored and write-only fields. */
export function listReadableFields(kind: Kind): [name: string, field: Field][] {
  return Object.entries(kind.fields).filter(([, field]) => !field.ignored && !field.writeOnly);
}

/** Returns the names of the fields in `ignore_changes`. */
export function listIgnoredFields({ fields }: Kind): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.ignored);
}

/** Returns a copy of the kind that ignores exactly these fields. */
export function ignoreFields(kind: Kind, names: readonly string[]): Kind {
  const fields = Object.entries(kind.fields).map(([name, { ignored: _, ...field }]) => [
    name,
    names.includes(name) ? { ...field, ignored: true } : field,
  ]);
  return { ...kind, fields: Object.fromEntries(fields) as Kind["fields"] };
}

/** Returns the readable fields that differ between two specs. `normalize` makes values comparable. */
export function findDifferingFields(
  kind: Kind,
  spec: Spec,
  other: Spec,
  normalize: (value: Value | undefined) => Value | undefined = (value) => value,
): readonly string[] {
  return listReadableFields(kind)
    .filter(
      ([name, field]) =>
        spec[name] !== undefined && !areValuesEqual(field, normalize(spec[name]), normalize(other[name])),
    )
    .map(([name]) => name);
}

/** Describes the size of a string or a list: "12,000 characters", "1 link". Returns other values as JSON. */
export function measureField(kind: Kind, name: string, { [name]: value }: Spec): string {
  const field = kind.fields[name];
  if (value !== undefined && typeof value !== "string" && !Array.isArray(value)) return JSON.stringify(value);
  const count = value?.length ?? 0;
  const noun = field?.type === "list" ? field.entry : "character";
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Returns a kind's reference fields, each with the kind that it refers to. */
export function listReferenceFields(kind: Kind | undefined): [name: string, kind: string][] {
  return Object.entries(kind?.fields ?? {}).flatMap(([name, field]): [string, string][] =>
    field.type === "reference" ? [[name, field.kind]] : [],
  );
}

/** Returns the fields whose values come from a source and are never stored. */
export function listWriteOnlyFields(kind: Kind): string[] {
  return Object.keys(kind.fields).filter((name) => {
    const field = kind.fields[name];
    return field?.type === "string" && field.writeOnly === true;
  });
}

/**
 * Returns whether a new declaration may adopt an object by its name. Adoption has to compare or overwrite every value,
 * which is impossible for a value that can be neither read back nor updated.
 */
export function isAdoptableByName(kind: Kind): boolean {
  return kind.update !== undefined || listWriteOnlyFields(kind).length === 0;
}

/**
 * Returns the digest of a normalized value: `1:` and 22 characters (132 bits) of SHA-256 in base64url. The number is
 * the version of the method, so that a change of method never looks like drift.
 */
export function digestValue(value: unknown): string {
  return `1:${createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22)}`;
}

export function digestSpec(kind: Kind, spec: Spec): string {
  return digestValue(
    listReadableFields(kind).map(([name, field]) => [name, normalizeForComparison(field, spec[name])]),
  );
}
