import {
  type PresetFields,
  preset,
  presetKey,
  presetReferences,
  problemsIn,
  refusedVariables,
  toAddress,
  type ValueProblem,
  variablesKey,
  withArticle,
} from "../../kinds/index.js";
import { presetForm } from "../forms/form.js";
import { type Entry, type Node, nodeAt, rangeAt } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";
import { type PresetExtra, splitExtra } from "./extra.js";
import type { Preset } from "./manifest.js";
import { checkLogicalName, checkReference, type DeclaredNames } from "./names.js";
import { readRecord } from "./values.js";

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
  const validate = (name: string, values: unknown) =>
    problemsIn(presetForm, name, values).map((problem) => withName(problem, values, declared));
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
  const { node, extra } = splitExtra(entry.value, subject, reading);
  const record = readRecord(node, entry.range, subject, {}, validate, reading);
  if (!record || !extra) return undefined;
  for (const { at, into } of found) {
    const literal = [...at.slice(0, -1), into.at(-1) ?? ""];
    if (textAt(entry.value, literal) === undefined) continue;
    const message = `${subject} has both ${at.join(".")} and ${literal.join(".")}`;
    reading.collector.error("conflicting-fields", message, range(literal), "keep one of them");
  }
  warnOfMissingReference(subject, entry, extra, reading);
  warnOfVariables(subject, entry, extra, reading);
  if (!isNamed) return undefined;
  return {
    key,
    body: toRequest(record.values, preset.fields, extra.values),
    references: found.map(({ at, kind, into }) => ({
      path: into,
      address: toAddress(kind, textAt(entry.value, at) ?? ""),
    })),
    ...(extra.sources.length > 0 ? { sources: extra.sources } : {}),
    range: entry.range,
  };
}

type Values = Readonly<Record<string, unknown>>;

/** A name in the place of an id is answered with the field that takes names. */
function withName(problem: ValueProblem, values: unknown, declared: DeclaredNames): ValueProblem {
  if (problem.code !== "not-a-uuid") return problem;
  const { path } = problem;
  const reference = references.find(
    ({ at, into }) => [...at.slice(0, -1), into.at(-1)].join("\n") === path.join("\n"),
  );
  const name = path.reduce<unknown>((at, key) => (at as Values | undefined)?.[key], values);
  if (!reference || typeof name !== "string" || !declared.get(reference.kind.name)?.has(name)) return problem;
  const { name: field } = reference.kind;
  return { ...problem, hint: `this is a name: write ${field}: instead of ${field}_id:` };
}

/** The preset in the service's spelling, without the references. */
function toRequest(values: Values, fields: PresetFields, extra: PresetExtra["values"], at = ""): Values {
  const body: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = values[presetKey(name, field)];
    if (value === undefined) continue;
    body[name] =
      field.type === "group" ? toRequest(value as Values, field.fields, extra, `${at}${name}.`) : value;
  }
  return { ...body, ...extra.get(at) };
}

/** The text at a path, ignoring tags. */
function textAt(node: Node, path: readonly string[]): string | undefined {
  const at = nodeAt(node, path);
  return at?.is === "scalar" && typeof at.value === "string" && !at.tag ? at.value : undefined;
}

function warnOfVariables(
  subject: string,
  { range, value }: Entry,
  extra: PresetExtra,
  { collector }: Reading,
): void {
  const variables = extra.values.get("")?.[variablesKey];
  if (typeof variables !== "object" || variables === null) return;
  const at = rangeAt(range, value, [preset.extra.key, variablesKey]);
  for (const { about, message } of refusedVariables(variables as Values))
    collector.warning(`variable-${about}`, `${subject}: ${message}`, at);
}

/** A reference that the service does not require, and without which a session is of no use. */
function warnOfMissingReference(
  subject: string,
  { range, value }: Entry,
  extra: PresetExtra,
  { collector }: Reading,
): void {
  const { expects } = preset;
  if (extra.keys.has(expects.instead)) return;
  const expected = references.find(({ into }) => into.join() === expects.reference.join());
  if (!expected) throw new Error(`Bug: presets have no reference ${expects.reference.join(".")}`);
  const { kind, at, into } = expected;
  const literal = [...at.slice(0, -1), into.at(-1) ?? ""];
  const isThere = (textAt(value, at) ?? textAt(value, literal)) !== undefined;
  if (textAt(value, [expects.field]) !== expects.value || isThere) return;
  const message = `${subject} is a ${expects.value} session without ${withArticle(kind)}: ${expects.consequence}`;
  collector.warning(`preset-without-${kind.name}`, message, range, `add ${at.join(".")}`);
}
