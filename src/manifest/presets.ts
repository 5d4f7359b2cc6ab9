import { nearest, type SourceRange } from "../diagnostics/index.js";
import { addressOf, kindNamed, problemsIn } from "../kinds/index.js";
import { checkLogicalName } from "./declarations.js";
import { presetForm } from "./form.js";
import type { Preset } from "./manifest.js";
import { type Entry, type Node, rangeAt } from "./node.js";
import type { Reading } from "./reading.js";
import { readRecord } from "./values.js";

/** Logical names by the name of their kind: what references can mean. */
export type DeclaredNames = ReadonlyMap<string, ReadonlyMap<string, unknown>>;

/** Which key of a preset names an object of which kind, and where its id goes in the body (§4.5). */
const references = [
  { at: ["avatar"], kind: "avatar", into: ["avatar_id"] },
  { at: ["persona", "voice"], kind: "voice", into: ["avatar_persona", "voice_id"] },
  { at: ["persona", "context"], kind: "context", into: ["avatar_persona", "context_id"] },
] as const;

/** One entry of `sessions:`; undefined where something is wrong with it. */
export function readPreset(
  key: string,
  entry: Entry,
  declared: DeclaredNames,
  reading: Reading,
): Preset | undefined {
  const subject = `sessions.${key}`;
  const isNamed = checkLogicalName(subject, key, entry, reading.collector);
  const validate = (name: string, values: unknown) => problemsIn(presetForm, name, values);
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
  const record = readRecord(entry.value, entry.range, subject, {}, validate, reading);
  if (!record) return undefined;
  for (const { at, into } of found) {
    const literal = [...at.slice(0, -1), into.at(-1) ?? ""];
    if (textAt(entry.value, literal) === undefined) continue;
    const message = `${subject} has both ${at.join(".")} and ${literal.join(".")}`;
    reading.collector.error("conflicting-fields", message, range(literal), "keep one of them");
  }
  warnOfSilence(subject, entry, reading);
  if (!isNamed) return undefined;
  return {
    key,
    body: bodyOf(record.values),
    references: found.map(({ at, kind, into }) => ({
      path: into,
      address: `${kind}.${textAt(entry.value, at)}`,
    })),
    range: entry.range,
  };
}

/** The preset as the service spells it, without the references. */
function bodyOf({ avatar: _, persona, ...rest }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (!persona) return rest;
  const { voice: _voice, context: _context, ...own } = persona as Record<string, unknown>;
  return { ...rest, avatar_persona: own };
}

/** The text at a path, tags aside. */
function textAt(node: Node, path: readonly string[]): string | undefined {
  let at: Node | undefined = node;
  for (const key of path) at = at?.is === "map" ? at.entries.get(key)?.value : undefined;
  return at?.is === "scalar" && typeof at.value === "string" && !at.tag ? at.value : undefined;
}

function checkReference(
  subject: string,
  kindName: string,
  name: string,
  range: SourceRange,
  declared: DeclaredNames,
  { collector }: Reading,
): void {
  const names = declared.get(kindName) ?? new Map<string, unknown>();
  // A file that could not be read may have declared it.
  if (names.has(name) || collector.isIncomplete) return;
  const kind = kindNamed(kindName);
  if (!kind) throw new Error(`Bug: presets refer to the kind ${kindName}, which does not exist`);
  const meant = nearest(name, names.keys());
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(name);
  const hint = isId
    ? `this is an id: write ${kind.name}_id: in the place of ${kind.name}:`
    : meant
      ? `did you mean "${meant}"?`
      : `declare it under ${kind.collection}:`;
  collector.error("undeclared-reference", `${subject}: there is no ${addressOf(kind, name)}`, range, hint);
}

/** Deployments were seen to start a FULL session without a context: the avatar stays silent, without an error. */
function warnOfSilence(subject: string, { range, value }: Entry, { collector }: Reading): void {
  const hasContext = textAt(value, ["persona", "context"]) ?? textAt(value, ["persona", "context_id"]);
  if (textAt(value, ["mode"]) !== "FULL" || hasContext !== undefined) return;
  const message = `${subject} is a FULL session without a context: the avatar would stay silent`;
  collector.warning("preset-without-context", message, range, "add persona.context");
}
