import { suggest } from "../../../base/diagnostics/index.js";
import { snakeCase } from "../../../base/text/index.js";
import {
  listFields,
  loadedKind,
  type SourceField,
  type SourceKind,
  type SourceValue,
  type ValueSource,
} from "../../secrets/index.js";
import type { MapNode, Node } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import { findProblem, readShorthand, readValue } from "./source-value.js";
import { namesVariable } from "./variable-name.js";

/** The field that every source has in addition to its own. */
const timeoutField = "timeout_seconds";

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
  const ordered = [...listFields(kind).keys()].flatMap((name): [string, SourceValue][] => {
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
  reading.collector.error("wrong-source", `${subject}: !${kind.name} ${problem}`, node, writeExample(kind));
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
  const table = listFields(kind);
  const names = new Map([...table.keys()].map((name) => [snakeCase(name), name]));
  const known = [...names.keys(), timeoutField];
  const fields: Fields = {};
  let isRight = true;
  for (const [key, { range, value }] of node.entries) {
    const name = names.get(key);
    const field = name === undefined ? undefined : table.get(name);
    if (name !== undefined && field) {
      const read = readField(value, field, `${subject}: ${key} of !${kind.name}`, reading);
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
      const hint = suggest(key, known, `its fields are ${known.join(", ")}`);
      const message = `${subject}: !${kind.name} has no field ${JSON.stringify(key)}`;
      reading.collector.error("unknown-field", message, range, hint);
    }
  }
  return isRight ? fields : undefined;
}

function shorthandIn(node: Node, where: Where): Fields | undefined {
  const { subject, kind, reading } = where;
  const given = readShorthand(node, kind);
  if (!given) return reportMisplaced(node, where);
  const fields: Fields = {};
  for (const [name, field] of listFields(kind)) {
    const value = given[name];
    if (value === undefined) continue;
    if (field.type === "variable" && !namesVariable(value)) return reportMisplaced(node, where);
    if (Array.isArray(value) && (value.length === 0 || value[0] === "")) return reportMisplaced(node, where);
    const read = checkValue(value, field, node, `${subject}: ${snakeCase(name)} of !${kind.name}`, reading);
    if (read === undefined) return undefined;
    fields[name] = read;
  }
  return fields;
}

function reportMisplaced(node: Node, { subject, kind, reading }: Where): undefined {
  const meaning = kind.shorthand?.meaning ?? "its fields";
  const message = `${subject}: !${kind.name} must be followed by ${meaning}`;
  reading.collector.error("wrong-tag", message, node, writeExample(kind));
}

function writeExample(kind: SourceKind): string {
  const { shorthand } = kind;
  if (shorthand) return shorthand.hint ?? `write ${shorthand.example}`;
  const required = [...listFields(kind)].filter(([, field]) => field.required);
  return `write !${kind.name} { ${required.map(([name]) => `${snakeCase(name)}: …`).join(", ")} }`;
}

function readField(
  node: Node,
  field: SourceField,
  subject: string,
  reading: Reading,
): SourceValue | undefined {
  if (node.broken) return undefined;
  const value = readValue(node, field);
  if (value !== undefined) return checkValue(value, field, node, subject, reading);
  const hint = node.tag ? "a field of a source cannot itself come from a source" : undefined;
  reading.collector.error("wrong-type", `${subject} must be ${typeNames[field.type]}`, node, hint);
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

function checkValue(
  value: SourceValue,
  field: SourceField,
  node: Node,
  subject: string,
  { collector, files }: Reading,
): SourceValue | undefined {
  if (field.type === "file" && typeof value === "string") return files.resolve(value, node);
  const problem = findProblem(value, field);
  if (!problem) return value;
  collector.error(problem.code, `${subject} ${problem.message}`, node, problem.hint);
  return undefined;
}

function hasAll(fields: Fields, node: Node, { subject, kind, reading }: Where): boolean {
  const missing = [...listFields(kind)].filter(
    ([name, { required, variable }]) => required && variable === undefined && fields[name] === undefined,
  );
  for (const [name] of missing) {
    const message = `${subject}: !${kind.name} has no ${JSON.stringify(snakeCase(name))}`;
    reading.collector.error("missing-field", message, node, writeExample(kind));
  }
  return missing.length === 0;
}
