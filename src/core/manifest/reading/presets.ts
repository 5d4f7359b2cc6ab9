import { toMapping } from "../../../base/text/index.js";
import {
  type PresetFields,
  preset,
  presetKey,
  presetReferences,
  toAddress,
  variablesKey,
  withArticle,
} from "../../kinds/index.js";
import { presetForm } from "../forms/form.js";
import { type Entry, type MapNode, type Node, nodeAt, rangeAt } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import type { Manifest, PlacedSource, Preset } from "./manifest.js";
import { checkLogicalName, checkReference, type DeclaredNames } from "./names.js";
import { readRecord } from "./values.js";
import { readVariables } from "./variables.js";

const references = presetReferences();

/** An entry of `sessions:`; undefined if it has errors. */
export function readPreset(
  key: string,
  entry: Entry,
  declared: DeclaredNames,
  reading: Reading,
): Preset | undefined {
  const subject = `${preset.collection}.${key}`;
  const isNamed = checkLogicalName(subject, key, entry, reading.collector);
  const range = (path: readonly string[]) => rangeAt(entry.range, entry.value, path);
  const found = references.filter(({ at }) => typeof textAt(entry.value, at) === "string");
  for (const { at, kind } of found) {
    checkReference(
      `${subject}.${at.join(".")}`,
      kind,
      textAt(entry.value, at) ?? "",
      range(at),
      declared,
      reading,
    );
  }
  const record = readRecord(entry.value, entry.range, subject, presetForm, reading);
  if (!record) return undefined;
  for (const { at, into } of found) {
    const literal = [...at.slice(0, -1), into.at(-1) ?? ""];
    if (textAt(entry.value, literal) === undefined) continue;
    const message = `${subject} has both ${at.join(".")} and ${literal.join(".")}`;
    reading.collector.error("conflicting-fields", message, range(literal), "keep one of them");
  }
  const sources = record.sources.map(({ path, source }) => ({ path: toRequestPath(path), source }));
  const read = {
    key,
    body: toRequest(record.values),
    references: found.map(({ at, kind, into }) => ({
      path: into,
      address: toAddress(kind, textAt(entry.value, at) ?? ""),
    })),
    ...(sources.length > 0 ? { sources } : {}),
    range: entry.range,
  };
  warnOfMissingReference(read, entry, reading);
  return isNamed ? read : undefined;
}

/** Reports the values that no placeholder takes. */
export function checkVariables(
  root: MapNode,
  { presets, declarations }: Pick<Manifest, "presets" | "declarations">,
  { collector }: Reading,
): void {
  for (const one of presets) {
    const subject = `${preset.collection}.${one.key}`;
    for (const name of readVariables(one, { declarations }).superfluous) {
      const message = `${subject} has a value for ${JSON.stringify(name)}, which is no placeholder of its context`;
      const range = rangeAt(one.range, root, [preset.collection, one.key, variablesKey, name]);
      collector.warning("superfluous-variable", message, range);
    }
  }
}

/** Whether its request has a key, also with a value from a source. */
function gives({ body, sources = [] }: Preset, key: string): boolean {
  return Object.hasOwn(body, key) || sources.some(({ path }) => path[0] === key);
}

type Values = Readonly<Record<string, unknown>>;

/** The preset in the service's spelling, without the references. */
function toRequest(values: Values, fields: PresetFields = preset.fields): Values {
  const body: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = values[presetKey(name, field)];
    if (value === undefined) continue;
    body[name] = field.type === "object" ? toRequest(value as Values, field.parts) : value;
  }
  return { ...body, ...toMapping(values[preset.extra.key]) };
}

/** The place in the request of what is at a place of the preset. */
function toRequestPath(
  [key = "", ...rest]: PlacedSource["path"],
  fields: PresetFields = preset.fields,
): PlacedSource["path"] {
  if (key === preset.extra.key) return rest;
  const [name = "", field] =
    Object.entries(fields).find(([name, field]) => presetKey(name, field) === key) ?? [];
  return [name, ...(field?.type === "object" ? toRequestPath(rest, field.parts) : rest)];
}

/** The text at a path, ignoring tags. */
function textAt(node: Node, path: readonly string[]): string | undefined {
  const at = nodeAt(node, path);
  return at?.is === "scalar" && typeof at.value === "string" && !at.tag ? at.value : undefined;
}

/** A reference that the service does not require, and without which a session is of no use. */
function warnOfMissingReference(read: Preset, { range, value }: Entry, { collector }: Reading): void {
  const { expects } = preset;
  if (gives(read, expects.instead)) return;
  const expected = references.find(({ into }) => into.join() === expects.reference.join());
  if (!expected) throw new Error(`Bug: presets have no reference ${expects.reference.join(".")}`);
  const { kind, at, into } = expected;
  const literal = [...at.slice(0, -1), into.at(-1) ?? ""];
  const isThere = (textAt(value, at) ?? textAt(value, literal)) !== undefined;
  if (textAt(value, [expects.field]) !== expects.value || isThere) return;
  const message = `${preset.collection}.${read.key} is a ${expects.value} session without ${withArticle(kind)}: ${expects.consequence}`;
  collector.warning(`preset-without-${kind.name}`, message, range, `add ${at.join(".")}`);
}
