import * as z from "zod";
import type { SourceFile, SourceRange } from "../../../base/diagnostics/index.js";
import { problemsIn, readStockName } from "../../kinds/index.js";
import { isFile, type ValueSource } from "../../secrets/index.js";
import type { Composition } from "../../templates/index.js";
import { templateForm } from "../forms/form.js";
import { readFileName, readSource } from "../sources/source-tag.js";
import { hasFrontMatter, textOfFile } from "../tree/markdown.js";
import { isNothing, type MapNode, type Node, nodeAt, setOwn } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import { reportProblems } from "../tree/report-problems.js";
import { below, type FieldPath, toPlain, type Visitor } from "../tree/to-plain.js";
import { isBroken } from "./templates.js";

/** A mapping of the files as plain values, checked. */
export interface ReadRecord {
  /** Literals, and the text of `!file`s. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Sources, for the keys that allow them. */
  readonly sources: Readonly<Record<string, ValueSource>>;
}

/** Which source the form of a key takes: no text beside one, or also a text; undefined: none. */
function sourceIn(form: z.ZodObject, key: string): "source-only" | "or-text" | undefined {
  const field = Object.hasOwn(form.shape, key) ? form.shape[key] : undefined;
  const inner = field instanceof z.ZodOptional ? (field.unwrap() as z.ZodType) : field;
  const { sourceOnly, type } = (inner as z.ZodType | undefined)?.meta() ?? {};
  if (sourceOnly) return "source-only";
  return Array.isArray(type) && type.includes("object") ? "or-text" : undefined;
}

/**
 * Reads a mapping: tags become values or sources; then its form finds problems, and each gets its place. Undefined if there
 * are errors.
 */
export function readRecord(
  node: Node,
  declared: SourceRange,
  subject: string,
  form: z.ZodObject,
  reading: Reading,
): ReadRecord | undefined {
  if (node.broken) return undefined;
  if (node.is === "map" && !node.tag) return readMap(node, declared, subject, form, reading);
  // `host:` without a value has no fields.
  if (isNothing(node)) {
    reportProblems(problemsIn(form, subject, {}), node, declared, reading.collector);
    return undefined;
  }
  reading.collector.error(
    "wrong-type",
    `${subject} must be a mapping`,
    node,
    "write its fields under it, indented",
  );
  return undefined;
}

function readMap(
  node: MapNode,
  declared: SourceRange,
  subject: string,
  form: z.ZodObject,
  reading: Reading,
): ReadRecord | undefined {
  const values: Record<string, unknown> = {};
  const sources: Record<string, ValueSource> = {};
  const broken: FieldPath[] = [];
  const textsOfFiles: Visitor = {
    special(node, path, name) {
      const text = node.broken ? undefined : taggedText(node, name, reading);
      if (text === undefined) broken.push(path);
      return text;
    },
  };
  for (const [key, { value }] of node.entries) {
    const body = value.at === "body" ? findFileText(value, reading)?.composition : undefined;
    const mayBeSource = sourceIn(form, key);
    if (mayBeSource === "source-only" ? !isNothing(value) : mayBeSource && value.tag) {
      const source = readSource(value, below(subject, key), reading);
      const isShown = mayBeSource === "or-text" && source !== undefined && isFile(source);
      if (source && !(isShown && reading.files.isRefused(source.path, value))) sources[key] = source;
      else broken.push([key]);
    } else if (body) {
      if (isBroken(body)) broken.push([key]);
      else setOwn(values, key, body.text);
    } else if (value.tag && value.tag !== "!file" && !Object.hasOwn(form.shape, key))
      setOwn(values, key, null);
    else setOwn(values, key, toPlain(value, [key], below(subject, key), textsOfFiles));
  }
  const problems = problemsIn(form, subject, { ...values, ...sources });
  const fresh = problems.filter(
    ({ path }) => !broken.some((prefix) => prefix.every((key, i) => path[i] === key)),
  );
  reportProblems(fresh, node, declared, reading.collector);
  return fresh.length === 0 && broken.length === 0 ? { values, sources } : undefined;
}

function taggedText(node: Node, subject: string, reading: Reading): string | undefined {
  const stock = node.is === "scalar" && node.value !== "" ? `${node.tag} ${node.value}` : undefined;
  if (/[._]id$/.test(subject) && readStockName(stock)) return stock;
  if (node.tag !== "!file") {
    const message = `${subject} cannot come from ${node.tag}`;
    const hint =
      "only service settings, the fingerprint key and secret values can; write the value itself, or use !file";
    reading.collector.error("wrong-tag", message, node, hint);
    return undefined;
  }
  const text = findFileText(node, reading);
  if (text && hasFrontMatter(text.source)) {
    const { file } = text.source;
    const message = `${file} begins with front matter, which is sent as part of the text`;
    const hint = `remove it from the file; or, if the file is an object, write include: [${JSON.stringify(file)}] instead`;
    reading.collector.warning("sent-front-matter", message, node, hint);
  }
  if (text?.composition) return isBroken(text.composition) ? undefined : text.composition.text;
  return text && textOfFile(text.source.text);
}

/** The file of a text that is in one, by `!file` or as its body, and what it is composed of if it is a template. */
export function findFileText(
  node: Node,
  reading: Reading,
): { readonly source: SourceFile; readonly composition: Composition | undefined } | undefined {
  const { files, templates } = reading;
  if (node.at === "body") return { source: node.source, composition: templates?.find(node.source, node) };
  if (node.tag !== "!file") return undefined;
  const record = node.is === "map" ? readMap(node, node, "!file", templateForm, reading) : undefined;
  if (node.is === "map" && !record) return undefined;
  const { variables } = (record?.values ?? {}) as Partial<z.infer<typeof templateForm>>;
  const file = readFileName(nodeAt(node, ["path"]) ?? node, reading);
  const source = file === undefined ? undefined : files.open(file, node);
  return source && { source, composition: templates?.find(source, node, variables) };
}
