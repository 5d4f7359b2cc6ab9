import { nearest, type Spot } from "../diagnostics/index.js";
import { addressOf, kindNamed, problemsIn } from "../kinds/index.js";
import { checkLogicalName } from "./declarations.js";
import { presetForm } from "./form.js";
import type { Preset } from "./manifest.js";
import { type Entry, spotAt } from "./node.js";
import type { Reading } from "./source-tag.js";
import { readRecord } from "./values.js";

/** Logical names by the name of their kind: what references can mean. */
export type DeclaredNames = ReadonlyMap<string, readonly string[]>;

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
  const subject = `session.${key}`;
  const isNamed = checkLogicalName(subject, key, entry, reading.findings);
  const validate = (name: string, values: unknown) => problemsIn(presetForm, name, values);
  const record = readRecord(entry.value, entry.spot, subject, {}, validate, reading);
  if (!record) return undefined;
  const { avatar, persona, ...rest } = record.values;
  const { voice, context, ...ownPersona } = (persona ?? {}) as Record<string, unknown>;
  const spot = (...path: string[]) => spotAt(entry.spot, entry.value, path);
  const found = references.flatMap(({ at, kind, into }) => {
    const name = at.reduce<unknown>(
      (value, step) => (value as Record<string, unknown> | undefined)?.[step],
      record.values,
    );
    if (typeof name !== "string") return [];
    checkReference(`${subject}.${at.join(".")}`, kind, name, spot(...at), declared, reading);
    return [{ path: into, address: `${kind}.${name}`, at }];
  });
  for (const { at, path } of found) {
    const literal = [...at.slice(0, -1), path.at(-1) ?? ""];
    if (!has(record.values, literal)) continue;
    const message = `${subject} has both ${at.join(".")} and ${literal.join(".")}`;
    reading.findings.error("conflicting-fields", message, spot(...literal), "keep one of them");
  }
  warnOfSilence(subject, record.values, entry.spot, reading);
  if (!isNamed) return undefined;
  const body = { ...rest, ...(persona ? { avatar_persona: ownPersona } : {}) };
  return { key, body, references: found.map(({ path, address }) => ({ path, address })), spot: entry.spot };
}

function checkReference(
  subject: string,
  kindName: string,
  name: string,
  spot: Spot,
  declared: DeclaredNames,
  { findings }: Reading,
): void {
  const names = declared.get(kindName) ?? [];
  // A file that could not be read may have declared it.
  if (names.includes(name) || findings.isIncomplete) return;
  const kind = kindNamed(kindName);
  if (!kind) throw new Error(`Bug: presets refer to the kind ${kindName}, which does not exist`);
  const meant = nearest(name, names);
  const hint = meant ? `did you mean "${meant}"?` : `declare it under ${kind.collection}:`;
  findings.error("undeclared-reference", `${subject}: there is no ${addressOf(kind, name)}`, spot, hint);
}

/** Deployments were seen to start a FULL session without a context: the avatar stays silent, without an error. */
function warnOfSilence(
  subject: string,
  values: Readonly<Record<string, unknown>>,
  spot: Spot,
  { findings }: Reading,
) {
  if (values.mode !== "FULL" || has(values, ["persona", "context"]) || has(values, ["persona", "context_id"]))
    return;
  const message = `${subject} is a FULL session without a context: the avatar would stay silent`;
  findings.warning("preset-without-context", message, spot, "add persona.context");
}

function has(values: unknown, path: readonly string[]): boolean {
  return (
    path.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], values) !==
    undefined
  );
}
