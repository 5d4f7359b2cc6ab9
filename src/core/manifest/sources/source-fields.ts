import * as z from "zod";
import { toSnakeCase } from "../../../base/text/index.js";
import { findProblems } from "../../kinds/index.js";
import {
  getLoadedKind,
  listFields,
  type SourceKind,
  type SourceValue,
  type ValueSource,
} from "../../secrets/index.js";
import { findNodeAt, type Node } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import { reportProblems } from "../tree/report-problems.js";
import { toPlain } from "../tree/to-plain.js";
import { createFieldForm, readShorthand } from "./field-value.js";

/** Finds the secret source for a tag. Returns undefined for an unknown tag, which `reportUnknownTags` reports. */
export function findKindByTag(tag: string, kinds: Reading["kinds"]): SourceKind | undefined {
  const name = tag.slice(1);
  return kinds?.get(name) ?? getLoadedKind(name);
}

/** Creates a source's form. Its timeout is at most ten minutes. */
function createForm(kind: SourceKind): z.ZodType {
  const fields = [...listFields(kind)].map(([name, field]) => {
    const isRequired = field.required && field.variable === undefined;
    return [toSnakeCase(name), isRequired ? createFieldForm(field) : createFieldForm(field).optional()];
  });
  const timeout = z.number().gt(0).max(600).optional();
  return z.strictObject({ ...Object.fromEntries(fields), timeout_seconds: timeout });
}

/** Reads the mapping or shorthand after a source's tag. Reports errors. */
export function readFields(
  node: Node,
  kind: SourceKind,
  subject: string,
  { collector, files }: Reading,
): ValueSource | undefined {
  const written = node.is === "map" ? readMapping(node, subject, collector) : parseShorthand(node, kind);
  if (!written) {
    const meaning = kind.shorthand?.meaning ?? "its fields";
    const message = `${subject}: !${kind.name} must be followed by ${meaning}`;
    if (node.is !== "map") collector.error("wrong-tag", message, node, suggestForm(kind));
    return undefined;
  }
  const problems = findProblems(createForm(kind), `${subject}: !${kind.name}`, written);
  reportProblems(problems, node, node, collector);
  if (problems.length > 0) return undefined;
  const { timeout_seconds: seconds } = written;
  // Uses a fixed field order, so that equal sources serialize identically.
  const fields: Record<string, SourceValue> = {};
  for (const [name, field] of listFields(kind)) {
    const key = toSnakeCase(name);
    const value = written[key] as SourceValue | undefined;
    if (value === undefined) continue;
    const at = findNodeAt(node, [key]) ?? node;
    const read = field.type === "file" ? files.resolve(String(value), at) : value;
    if (read === undefined) return undefined;
    fields[name] = read;
  }
  const source: ValueSource = {
    from: kind.name,
    ...fields,
    ...(seconds === undefined ? {} : { timeoutMs: Number(seconds) * 1000 }),
  };
  const problem = kind.check?.(source);
  if (problem === undefined) return source;
  collector.error("wrong-source", `${subject}: !${kind.name} ${problem}`, node, suggestForm(kind));
  return undefined;
}

type WrittenSource = Readonly<Record<string, unknown>>;

function readMapping(
  node: Node,
  subject: string,
  collector: Reading["collector"],
): WrittenSource | undefined {
  let isBroken = false;
  const plain = toPlain(node, [], subject, (inner, path, name) => {
    if (path.length === 0 || !(inner.broken || inner.tag)) return undefined;
    isBroken = true;
    const message = `${name} is a field of a source, so its value cannot come from another source`;
    if (!inner.broken) collector.error("wrong-type", message, inner);
    return { value: undefined };
  });
  return isBroken ? undefined : (plain as WrittenSource);
}

/** Parses a shorthand into fields in snake_case. Returns undefined for any other form. */
function parseShorthand(node: Node, kind: SourceKind): WrittenSource | undefined {
  const given = readShorthand(node, kind);
  return (
    given && Object.fromEntries(Object.entries(given).map(([name, value]) => [toSnakeCase(name), value]))
  );
}

function suggestForm(kind: SourceKind): string {
  const { shorthand } = kind;
  if (shorthand) return shorthand.hint ?? `write ${shorthand.example}`;
  const required = [...listFields(kind)].filter(([, field]) => field.required);
  return `write !${kind.name} { ${required.map(([name]) => `${toSnakeCase(name)}: …`).join(", ")} }`;
}
