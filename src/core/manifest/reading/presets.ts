import { addArticle, toMapping } from "../../../base/text/index.js";
import {
  listPresetReferences,
  type PresetFields,
  preset,
  toAddress,
  toPresetKey,
  variablesKey,
} from "../../kinds/index.js";
import { presetForm } from "../forms/form.js";
import { findNodeAt, findRangeAt, type MapEntry, type MapNode, type Node } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import type { Manifest, Preset, PresetSource } from "./manifest.js";
import { checkLogicalName, checkReference, type DeclaredNames } from "./names.js";
import { readRecord } from "./values.js";
import { readVariables } from "./variables.js";

const references = listPresetReferences();

/** Reads an entry of `sessions:`. Returns undefined if it has errors. */
export function readPreset(
  key: string,
  entry: MapEntry,
  declared: DeclaredNames,
  reading: Reading,
): Preset | undefined {
  const subject = `${preset.collection}.${key}`;
  const isNamed = checkLogicalName(subject, key, entry, reading.collector);
  const findRange = (path: readonly string[]) => findRangeAt(entry.range, entry.value, path);
  const record = readRecord(entry.value, entry.range, subject, presetForm, reading);
  const readText: ReadText = (path) =>
    record ? findText(record.values, path) : readLiteral(entry.value, path);
  const found = references.flatMap((reference) => {
    const name = readText(reference.at);
    return name === undefined ? [] : [{ ...reference, name }];
  });
  for (const { at, kind, name } of found)
    checkReference(`${subject}.${at.join(".")}`, kind, name, findRange(at), declared, reading);
  if (!record) return undefined;
  for (const { at, into } of found) {
    const literal = [...at.slice(0, -1), into.at(-1) ?? ""];
    if (readText(literal) === undefined) continue;
    const message = `${subject} has both ${at.join(".")} and ${literal.join(".")}`;
    reading.collector.error("conflicting-fields", message, findRange(literal), "keep one of them");
  }
  const sources = record.sources.map(({ path, source }) => ({ path: toRequestPath(path), source }));
  const result = {
    key,
    body: toRequest(record.values),
    references: found.map(({ kind, into, name }) => ({ path: into, address: toAddress(kind, name) })),
    ...(sources.length > 0 ? { sources } : {}),
    range: entry.range,
  };
  warnAboutMissingReference(result, readText, reading);
  return isNamed ? result : undefined;
}

/** Warns about a preset's variables that are not placeholders in its context. */
export function checkVariables(
  root: MapNode,
  { presets, declarations }: Pick<Manifest, "presets" | "declarations">,
  { collector }: Reading,
): void {
  for (const one of presets) {
    const subject = `${preset.collection}.${one.key}`;
    for (const name of readVariables(one, { declarations }).superfluous) {
      const message = `${subject} has a value for ${JSON.stringify(name)}, which is not a placeholder in its context`;
      const range = findRangeAt(one.range, root, [preset.collection, one.key, variablesKey, name]);
      collector.warning("superfluous-variable", message, range);
    }
  }
}

/** Returns whether a preset's request has a key, from a literal or a source. */
function hasKey({ body, sources = [] }: Preset, key: string): boolean {
  return Object.hasOwn(body, key) || sources.some(({ path }) => path[0] === key);
}

type PresetValues = Readonly<Record<string, unknown>>;

/** Renames a preset's keys to the service's field names. Omits references. */
function toRequest(values: PresetValues, fields: PresetFields = preset.fields): PresetValues {
  const body: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = values[toPresetKey(name, field)];
    if (value === undefined) continue;
    body[name] = field.type === "object" ? toRequest(value as PresetValues, field.parts) : value;
  }
  return { ...body, ...toMapping(values[preset.extra.key]) };
}

function toRequestPath(
  [key = "", ...rest]: PresetSource["path"],
  fields: PresetFields = preset.fields,
): PresetSource["path"] {
  if (key === preset.extra.key) return rest;
  const [name = "", field] =
    Object.entries(fields).find(([name, field]) => toPresetKey(name, field) === key) ?? [];
  return [name, ...(field?.type === "object" ? toRequestPath(rest, field.parts) : rest)];
}

/** Returns the text at a path of a preset, or undefined if there is none. */
type ReadText = (path: readonly string[]) => string | undefined;

/** Finds the text at a path of values, which may come from a file. */
function findText(values: PresetValues, path: readonly string[]): string | undefined {
  const found = path.reduce<unknown>((at, key) => toMapping(at)[key], values);
  return typeof found === "string" ? found : undefined;
}

/** Reads the literal text at a path of a preset with errors. */
function readLiteral(node: Node, path: readonly string[]): string | undefined {
  const at = findNodeAt(node, path);
  return at?.is === "scalar" && typeof at.value === "string" && !at.tag ? at.value : undefined;
}

/** Warns about a missing reference that the service does not require, but that a useful session needs. */
function warnAboutMissingReference(presetRead: Preset, readText: ReadText, { collector }: Reading): void {
  const { expects } = preset;
  if (hasKey(presetRead, expects.instead)) return;
  const expected = references.find(({ into }) => into.join() === expects.reference.join());
  if (!expected) throw new Error(`Bug: presets have no reference ${expects.reference.join(".")}`);
  const { kind, at, into } = expected;
  const literal = [...at.slice(0, -1), into.at(-1) ?? ""];
  const isPresent = (readText(at) ?? readText(literal)) !== undefined;
  if (readText([expects.field]) !== expects.value || isPresent) return;
  const message = `${preset.collection}.${presetRead.key} is a ${expects.value} session without ${addArticle(kind.name)}, so ${expects.consequence}`;
  collector.warning(`preset-without-${kind.name}`, message, presetRead.range, `add ${at.join(".")}`);
}
