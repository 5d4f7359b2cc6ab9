import { snakeCase } from "../../../base/text/index.js";
import type { Kind, Spec, Value } from "../../kinds/index.js";
import { isEnv, isFile, type SourceValue, type ValueSource } from "../../secrets/index.js";
import { timeoutField } from "../sources/source-fields.js";
import { toYaml, toYamlList, withLineEnd } from "../tree/yaml-text.js";

/** An object to declare. */
export interface ProjectObject {
  readonly kind: Kind;
  /** Logical name. Default: derived from its label. */
  readonly key?: string;
  /** For kinds with adopted identity. */
  readonly id?: string;
  readonly spec: Spec;
  readonly sources?: Readonly<Record<string, ValueSource>>;
}

/** An object with its logical name. */
export type NamedObject = ProjectObject & { readonly key: string };

/** An entry of a mapping that can be written in block or flow style. */
export interface EntryText {
  readonly key: string;
  /** What follows the colon, up to the end of its last line, with the key in this column. */
  readonly block: (column: number) => string;
  /** What follows the colon, on one line. */
  readonly flow: () => string;
}

/** Entries in block style, with their keys in this column. */
export function entriesText(entries: readonly EntryText[], column: number): string {
  const margin = " ".repeat(column);
  return entries.map(({ key, block }) => `${margin}${keyText(key)}:${block(column)}`).join("");
}

/** Entries in flow style, for between the braces of a mapping. */
export function entriesInBraces(entries: readonly EntryText[]): string {
  return entries.map(({ key, flow }) => `${keyText(key)}: ${flow()}`).join(", ");
}

/** The entry of an object under its logical name. */
export function toObjectEntry(object: NamedObject): EntryText {
  return {
    key: object.key,
    block: (column) => `\n${fieldsText(object, column + 2)}`,
    flow: () => `{ ${entriesInBraces(toEntries(object))} }`,
  };
}

/** The entry of a field. */
export function toEntry(key: string, part: Value | ValueSource): EntryText {
  return {
    key,
    block: (column) => (isSource(part) ? ` ${sourceText(part)}\n` : valueText(part, column)),
    flow: () => (isSource(part) ? sourceText(part) : valueInLine(part)),
  };
}

/** The lines of an object's fields, in the order of the kind's field table. */
export function fieldsText(object: ProjectObject, column: number): string {
  return entriesText(toEntries(object), column);
}

/**
 * The spec in the form to write: without empty fields if that means the same, and without list keys that are
 * empty or server-assigned.
 */
export function declaredSpec(kind: Kind, spec: Spec): Spec {
  const declared = Object.entries(kind.fields).flatMap(([name, field]): [string, Value][] => {
    const value = spec[name];
    if (value === undefined || (value.length === 0 && !field.required)) return [];
    if (typeof value === "string") return [[name, value]];
    const assigned = field.type === "list" ? field.serverKeys : [];
    const isOwn = ([key, text]: [string, string]) => !assigned.includes(key) && text !== "";
    return [[name, value.map((item) => Object.fromEntries(Object.entries(item).filter(isOwn)))]];
  });
  return Object.fromEntries(declared);
}

function toEntries({ kind, id, spec, sources = {} }: ProjectObject): EntryText[] {
  const declared = declaredSpec(kind, spec);
  const parts = Object.keys(kind.fields).flatMap((name) => {
    const part = declared[name] ?? sources[name];
    return part === undefined ? [] : [toEntry(name, part)];
  });
  return id === undefined ? parts : [toEntry("id", id), ...parts];
}

function isSource(part: Value | ValueSource): part is ValueSource {
  return typeof part === "object" && "from" in part;
}

function keyText(key: string): string {
  return toYaml(key, { column: 0, flow: true });
}

function valueText(value: Value, column: number): string {
  if (typeof value === "string") return withLineEnd(` ${toYaml(value, { column, flow: false })}`);
  return value.length === 0 ? " []\n" : `\n${toYamlList(value, { column: column + 2, flow: false })}`;
}

function valueInLine(value: Value): string {
  const place = { column: 0, flow: true };
  return typeof value === "string" ? toYaml(value, place) : toYamlList(value, place);
}

const inLine = { column: 0, flow: true };

function sourceText(source: ValueSource): string {
  if (isEnv(source)) return `!env ${source.name}`;
  if (isFile(source)) return `!file ${toYaml(source.path, inLine)}`;
  const { from, timeoutMs, ...fields } = source;
  const names = Object.keys(fields);
  const [only = ""] = names;
  // A list alone may follow its tag: `!exec [pass, show, llm]`.
  const alone = names.length === 1 && timeoutMs === undefined ? fields[only] : undefined;
  if (typeof alone === "object") return `!${from} ${fieldText(alone)}`;
  const entries = [
    ...Object.entries(fields).map(([name, value]) => [snakeCase(name), value] as const),
    [timeoutField, timeoutMs === undefined ? undefined : timeoutMs / 1000] as const,
  ];
  const parts = entries.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${fieldText(value)}`],
  );
  return `!${from} { ${parts.join(", ")} }`;
}

function fieldText(value: SourceValue): string {
  if (typeof value === "object") return `[${value.map((word) => toYaml(word, inLine)).join(", ")}]`;
  return typeof value === "string" ? toYaml(value, inLine) : String(value);
}
