import * as z from "zod";
import type { SourceFile, SourceRange } from "../../../base/diagnostics/index.js";
import { isMapping } from "../../../base/text/index.js";
import { findProblems, findSchema, readStockName, sourcePlaceholder } from "../../kinds/index.js";
import type { Composition } from "../../templates/index.js";
import { templateForm } from "../forms/form.js";
import { readFileName, readSource } from "../sources/source-tag.js";
import { isLikelyKey, isNamedLikeSecret } from "../sources/variable-name.js";
import { readFileText } from "../tree/markdown.js";
import { findNodeAt, isEmptyValue, type MapNode, type Node } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import { reportProblems } from "../tree/report-problems.js";
import { type FieldPath, toPlain } from "../tree/to-plain.js";
import type { PresetSource } from "./manifest.js";
import { isBroken } from "./templates.js";

/** Plain values of a mapping that has been checked. */
export interface ReadRecord {
  /** Literals, and texts read through `!file`. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Sources. Their values are missing from `values`. */
  readonly sources: readonly PresetSource[];
}

/**
 * Reads a mapping, resolves its tags to values or sources, and checks its form. Returns undefined after reporting
 * problems with their range.
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
  // `host:` without a value is a mapping without fields.
  if (isEmptyValue(node)) {
    reportProblems(findProblems(form, subject, {}), node, declared, reading.collector);
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
  const sources: PresetSource[] = [];
  const broken: FieldPath[] = [];
  const readOne = (at: Node, path: FieldPath, name: string): { readonly value: unknown } | undefined => {
    if (path.length === 0) return undefined;
    const inner = findSchema(form, path);
    const literalOrSource = inner?.meta()?.literalOrSource;
    if (literalOrSource === "source-only" ? !isEmptyValue(at) : literalOrSource && at.tag && !at.broken) {
      const source = readSource(at, name, reading);
      if (source) sources.push({ path, source });
      else broken.push(path);
      return { value: sourcePlaceholder };
    }
    if (literalOrSource && !checkLiteral(at, path, name, reading)) broken.push(path);
    if (inner instanceof z.ZodRecord && isEmptyValue(at)) return { value: undefined };
    if (at.tag && at.tag !== "!file" && !inner) return { value: null };
    if (!at.broken && !at.tag && at.at !== "body") return undefined;
    const text = at.broken ? undefined : readText(at, name, reading);
    if (text === undefined) broken.push(path);
    return { value: text };
  };
  const values = toPlain(node, [], subject, readOne) as Record<string, unknown>;
  const problems = findProblems(form, subject, values);
  const fresh = problems.filter(
    ({ path }) => !broken.some((prefix) => prefix.every((key, i) => path[i] === key)),
  );
  reportProblems(fresh, node, declared, reading.collector);
  if (fresh.length > 0 || broken.length > 0) return undefined;
  return { values: removeSources(values) as ReadRecord["values"], sources };
}

/** Removes source placeholders from mappings. In lists, null replaces them, so that indexes stay valid. */
function removeSources(value: unknown): unknown {
  if (value === sourcePlaceholder) return null;
  if (Array.isArray(value)) return value.map(removeSources);
  if (!isMapping(value)) return value;
  const literals = Object.entries(value).filter(([, part]) => part !== sourcePlaceholder);
  return Object.fromEntries(literals.map(([key, part]) => [key, removeSources(part)]));
}

/** Reports a literal that should come from a source or cannot be sent. Returns false after an error. */
function checkLiteral(node: Node, path: FieldPath, name: string, { collector }: Reading): boolean {
  if (node.is !== "scalar") return true;
  const { value } = node;
  const hint = "use a source: !env NAME, !file path or !exec [command, argument]";
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    const message = `${name} is a number that JSON cannot represent exactly`;
    collector.error("wrong-type", message, node, "put it in quotes if the service accepts a string");
  } else if (typeof value === "string" && isLikelyKey(value)) {
    const message = `${name} must not be a literal, to keep the secret out of git`;
    collector.error("literal-secret", message, node, hint);
  } else {
    const key = String(path.findLast((part) => typeof part === "string"));
    if (typeof value === "string" && isNamedLikeSecret(key, value))
      collector.warning(
        "literal-secret",
        `${name} looks like a secret, but is a literal in the file`,
        node,
        hint,
      );
    return true;
  }
  return false;
}

/** Returns the text of a body or a `!file` tag, or the tag and name of a stock id (`!stock_…`). */
function readText(node: Node, subject: string, reading: Reading): string | undefined {
  const stock = node.is === "scalar" && node.value !== "" ? `${node.tag} ${node.value}` : undefined;
  if (/[._]id$/.test(subject) && readStockName(stock)) return stock;
  if (node.tag && node.tag !== "!file") {
    const message = `${subject} cannot come from ${node.tag}`;
    const hint =
      "write the value, or use !file. Other sources are only for service settings, the fingerprint key and secret values";
    reading.collector.error("wrong-tag", message, node, hint);
    return undefined;
  }
  const text = findFileText(node, reading);
  if (text?.composition) return isBroken(text.composition) ? undefined : text.composition.text;
  return node.at === "body" && node.is === "scalar"
    ? String(node.value)
    : text && readFileText(text.source.text);
}

/** Finds the file that contains a body or a `!file` text, and its composition if the text is a template. */
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
  const file = readFileName(findNodeAt(node, ["path"]) ?? node, reading);
  const source = file === undefined ? undefined : files.open(file, node);
  return source && { source, composition: templates?.find(source, node, variables) };
}
