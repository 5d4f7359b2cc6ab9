import { nearest } from "../../diagnostics/index.js";
import {
  fieldsOf,
  loadedKind,
  type SourceField,
  type SourceKind,
  type SourceValue,
  type ValueSource,
} from "../../secrets/index.js";
import { snakeCase } from "../../text/index.js";
import type { MapNode, Node } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import { redact } from "./redact-literals.js";
import { looksLikeKey, namesVariable } from "./variable-name.js";

/** The field that every source has besides its own. */
export const timeoutField = "timeout_seconds";

/** A source that has not answered by then will not: the job would be stopped before. */
const longestSeconds = 600;

/** The kind of source that a tag names; undefined if there is none, which `reportUnknownTags` reports. */
export function kindOfTag(tag: string, kinds: Reading["kinds"]): SourceKind | undefined {
  const name = tag.slice(1);
  return kinds?.get(name) ?? loadedKind(name);
}

/** The source after a tag: a mapping of its fields, or its shorthand. Reports what is wrong with it. */
export function readFields(
  node: Node,
  kind: SourceKind,
  subject: string,
  reading: Reading,
): ValueSource | undefined {
  const where: Where = { subject, kind, reading };
  const written = node.is === "map" ? fieldsIn(node, where) : shorthandIn(node, where);
  if (!written || !hasAll(written, node, where)) return undefined;
  const { timeoutMs, ...fields } = written;
  // In the order of the table: a source is the same however it is written.
  const ordered = [...fieldsOf(kind).keys()].flatMap((name): [string, SourceValue][] => {
    const value = fields[name];
    return value === undefined ? [] : [[name, value]];
  });
  const source: ValueSource = {
    from: kind.name,
    ...Object.fromEntries(ordered),
    ...(typeof timeoutMs === "number" ? { timeoutMs } : {}),
  };
  const problem = kind.check?.(source);
  if (problem === undefined) return source;
  reading.collector.error("wrong-source", `${subject}: !${kind.name} ${problem}`, node, hintOf(kind));
  return undefined;
}

interface Where {
  readonly subject: string;
  readonly kind: SourceKind;
  readonly reading: Reading;
}

type Fields = Record<string, SourceValue>;

function fieldsIn(node: MapNode, where: Where): Fields | undefined {
  const { subject, kind, reading } = where;
  const table = fieldsOf(kind);
  const names = new Map([...table.keys()].map((name) => [snakeCase(name), name]));
  const known = [...names.keys(), timeoutField];
  const fields: Fields = {};
  let isRight = true;
  for (const [key, { range, value }] of node.entries) {
    const name = names.get(key);
    const field = name === undefined ? undefined : table.get(name);
    if (name !== undefined && field) {
      const read = fieldValue(value, field, `${subject}: ${key} of !${kind.name}`, reading);
      if (read === undefined) isRight = false;
      else fields[name] = read;
    } else if (key === timeoutField) {
      if (
        value.is === "scalar" &&
        typeof value.value === "number" &&
        value.value > 0 &&
        value.value <= longestSeconds
      )
        fields.timeoutMs = value.value * 1000;
      else {
        isRight = false;
        const message = `${subject}: ${key} of !${kind.name} must be a number of seconds above 0 and up to ${longestSeconds}`;
        reading.collector.error("wrong-type", message, value);
      }
    } else {
      isRight = false;
      redact(value, reading.collector);
      const meant = nearest(key, known);
      const hint = meant ? `did you mean "${meant}"?` : `its fields are ${known.join(", ")}`;
      const message = `${subject}: !${kind.name} has no field ${JSON.stringify(key)}`;
      reading.collector.error("unknown-field", message, range, hint);
    }
  }
  return isRight ? fields : undefined;
}

function shorthandIn(node: Node, where: Where): Fields | undefined {
  const { subject, kind, reading } = where;
  const written = wordsOf(node);
  const given = written === undefined ? undefined : kind.shorthand?.read(written);
  if (!given) return misplaced(node, where);
  const fields: Fields = {};
  for (const [name, field] of fieldsOf(kind)) {
    const value: SourceValue | undefined = (given as Partial<Fields>)[name];
    if (value === undefined) continue;
    if (field.type === "variable" && !namesVariable(value)) return misplaced(node, where);
    if (Array.isArray(value) && (value.length === 0 || value[0] === "")) return misplaced(node, where);
    const read = checked(value, field, node, `${subject}: ${snakeCase(name)} of !${kind.name}`, reading);
    if (read === undefined) return undefined;
    fields[name] = read;
  }
  return fields;
}

/** One word, or a list of words. */
function wordsOf(node: Node): string | readonly string[] | undefined {
  if (node.is === "scalar")
    return typeof node.value === "string" && node.value !== "" ? node.value : undefined;
  if (node.is !== "list") return undefined;
  const words = node.items.map((item) => (item.is === "scalar" && !item.tag ? item.value : undefined));
  return words.every((word) => typeof word === "string") ? words : undefined;
}

function misplaced(node: Node, { subject, kind, reading }: Where): undefined {
  // It may be the key itself, pasted after the tag.
  redact(node, reading.collector);
  const meaning = kind.shorthand?.meaning ?? "its fields";
  const message = `${subject}: !${kind.name} must be followed by ${meaning}`;
  reading.collector.error("wrong-tag", message, node, hintOf(kind));
}

/** An example of how to write it. */
function hintOf(kind: SourceKind): string {
  const { shorthand } = kind;
  if (shorthand) return shorthand.hint ?? `write ${shorthand.example}`;
  const required = [...fieldsOf(kind)].filter(([, field]) => field.required);
  return `write !${kind.name} { ${required.map(([name]) => `${snakeCase(name)}: …`).join(", ")} }`;
}

function fieldValue(
  node: Node,
  field: SourceField,
  subject: string,
  reading: Reading,
): SourceValue | undefined {
  if (node.broken) return undefined;
  const { type } = field;
  const value = node.tag ? undefined : node.is === "scalar" ? node.value : wordsOf(node);
  const isRight =
    type === "number" || type === "boolean"
      ? typeof value === type
      : type === "string-list"
        ? Array.isArray(value) && value.length > 0 && value[0] !== ""
        : typeof value === "string" && value !== "";
  if (isRight) return checked(value as SourceValue, field, node, subject, reading);
  redact(node, reading.collector);
  const hint = node.tag ? "a field of a source cannot itself come from a source" : undefined;
  reading.collector.error("wrong-type", `${subject} must be ${typeNames[type]}`, node, hint);
  return undefined;
}

const typeNames: Readonly<Record<SourceField["type"], string>> = {
  string: "a text",
  url: "the address of a server",
  file: "the path of a file",
  variable: "the name of an environment variable",
  number: "a number",
  boolean: "true or false",
  "string-list": "a list of texts",
};

/** The value, if it is one that the field may have. */
function checked(
  value: SourceValue,
  field: SourceField,
  node: Node,
  subject: string,
  reading: Reading,
): SourceValue | undefined {
  const { collector, files } = reading;
  const refuse = (code: string, message: string, hint?: string): undefined => {
    collector.error(code, `${subject} ${message}`, node, hint);
  };
  if (typeof value !== "string") return value;
  if (field.type === "file") return files.resolve(value, node);
  if (field.type === "variable") {
    if (namesVariable(value)) return value;
    redact(node, collector);
    return refuse(
      "wrong-type",
      "must be the name of an environment variable",
      "write its name, and not its value",
    );
  }
  if (looksLikeKey(value)) {
    redact(node, collector);
    return refuse(
      "literal-secret",
      "looks like a key or a token: it would put a secret into git",
      "a source takes its credentials from environment variables",
    );
  }
  if (field.type === "url") {
    const problem = problemOfUrl(value);
    if (problem === undefined) return value;
    redact(node, collector);
    return refuse(...problem);
  }
  if (field.values && !field.values.includes(value))
    return refuse("invalid-value", `must be ${field.values.join(" or ")}`);
  if (field.pattern && field.pattern.exec(value)?.[0] !== value)
    return refuse("invalid-value", `is not of the form it needs: ${field.description}`);
  return value;
}

function problemOfUrl(text: string): [code: string, message: string, hint: string] | undefined {
  const hint = "write https://vault.example.com";
  if (!URL.canParse(text)) return ["invalid-value", "must be the address of a server", hint];
  const { protocol, username, password } = new URL(text);
  if (username || password)
    return ["credentials-in-url", "has credentials in it", "remove them: the address is in git"];
  if (protocol !== "https:" && protocol !== "http:")
    return ["invalid-value", "must be the address of a server", hint];
  return undefined;
}

function hasAll(fields: Fields, node: Node, { subject, kind, reading }: Where): boolean {
  const missing = [...fieldsOf(kind)].filter(
    ([name, { required, variable }]) => required && variable === undefined && fields[name] === undefined,
  );
  for (const [name] of missing) {
    const message = `${subject}: !${kind.name} has no ${JSON.stringify(snakeCase(name))}`;
    reading.collector.error("missing-field", message, node, hintOf(kind));
  }
  return missing.length === 0;
}
