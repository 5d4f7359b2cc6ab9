import { emptyValue, type Kind, type Spec, sameValue, type Value } from "../../kinds/index.js";
import { isEnv, isFile, type SourceValue, type ValueSource, writtenFields } from "../../secrets/index.js";
import { toYaml, toYamlList, withLineEnd } from "../tree/yaml-text.js";

export interface ProjectObject {
  readonly kind: Kind;
  /** Logical name. Default: derived from its label. */
  readonly key?: string;
  /** For kinds with adopted identity. */
  readonly id?: string;
  readonly spec: Spec;
  readonly sources?: Readonly<Record<string, ValueSource>>;
}

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

export function toObjectEntry(object: NamedObject): EntryText {
  return {
    key: object.key,
    block: (column) => `\n${fieldsText(object, column + 2)}`,
    flow: () => `{ ${entriesInBraces(toEntries(object))} }`,
  };
}

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
    const isEmpty = typeof value === "string" ? value === "" : sameValue(field, value, emptyValue(field));
    if (value === undefined || (isEmpty && !field.required)) return [];
    if (typeof value !== "object") return [[name, value]];
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
  if (typeof value !== "object") return withLineEnd(` ${toYaml(value, { column, flow: false })}`);
  return value.length === 0 ? " []\n" : `\n${toYamlList(value, { column: column + 2, flow: false })}`;
}

function valueInLine(value: Value): string {
  const place = { column: 0, flow: true };
  return typeof value === "object" ? toYamlList(value, place) : toYaml(value, place);
}

const inLine = { column: 0, flow: true };

function sourceText(source: ValueSource): string {
  if (isEnv(source)) return `!env ${source.name}`;
  if (isFile(source)) return `!file ${toYaml(source.path, inLine)}`;
  const fields = Object.entries(writtenFields(source));
  const [[, only = ""] = [], ...others] = fields;
  // A list alone may follow its tag: `!exec [pass, show, llm]`.
  if (typeof only === "object" && others.length === 0) return `!${source.from} ${fieldText(only)}`;
  const parts = fields.map(([name, value]) => `${name}: ${fieldText(value)}`);
  return `!${source.from} { ${parts.join(", ")} }`;
}

function fieldText(value: SourceValue): string {
  if (typeof value === "object") return `[${value.map((word) => toYaml(word, inLine)).join(", ")}]`;
  return typeof value === "string" ? toYaml(value, inLine) : String(value);
}
