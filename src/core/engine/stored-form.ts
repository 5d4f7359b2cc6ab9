import {
  digestValue,
  type Field,
  type Kind,
  listReadableFields,
  normalizeForComparison,
  type RemoteObject,
  type Spec,
  type Value,
} from "../kinds/index.js";
import {
  type Intent,
  isDigest,
  type LongValue,
  type SaveText,
  type StateEntry,
  type StoredValue,
  type SupersededObject,
} from "../state/index.js";

/** Maximum length in characters. Longer values are stored as digests, which keeps the state small and readable. */
const maxVerbatimLength = 200;

/**
 * Converts a value to its form in the state. @param note Called with each text that is stored as a digest, for the
 * history.
 */
export function toStoredValue(field: Field, value: Value | undefined, note?: SaveText): StoredValue {
  const plain = normalizeForComparison(field, value) ?? "";
  const text = typeof plain === "string" ? plain : JSON.stringify(plain);
  if (text.length <= maxVerbatimLength) return plain;
  const digest = digestValue(plain);
  note?.(digest, plain as LongValue);
  return { digest, length: text.length };
}

/** Converts a spec's readable fields to their form in the state. `note` is passed to {@link toStoredValue}. */
export function toStoredSpec(kind: Kind, spec: Spec, note?: SaveText): Record<string, StoredValue> {
  const stored: Record<string, StoredValue> = {};
  for (const [name, field] of listReadableFields(kind)) {
    const value = spec[name];
    if (value !== undefined) stored[name] = toStoredValue(field, value, note);
  }
  return stored;
}

/** Returns whether a value equals the stored value. Returns false if no value is stored. */
export function matchesStored(
  field: Field,
  stored: StoredValue | undefined,
  value: Value | undefined,
): boolean {
  if (stored === undefined) return false;
  if (isDigest(stored)) {
    return stored.digest === digestValue(normalizeForComparison(field, value));
  }
  return (
    JSON.stringify(normalizeForComparison(field, stored)) ===
    JSON.stringify(normalizeForComparison(field, value))
  );
}

/** Returns whether every field of the spec equals its stored value. */
export function doesSpecMatchStored(
  kind: Kind,
  stored: Readonly<Record<string, StoredValue>>,
  spec: Spec,
): boolean {
  return listReadableFields(kind).every(
    ([name, field]) => spec[name] === undefined || matchesStored(field, stored[name], spec[name]),
  );
}

export function listChangedFields(
  kind: Kind,
  stored: Readonly<Record<string, StoredValue>>,
  spec: Spec,
): readonly string[] {
  return listReadableFields(kind)
    .filter(([name, field]) => stored[name] !== undefined && !matchesStored(field, stored[name], spec[name]))
    .map(([name]) => name);
}

export function wasSentByIntent(kind: Kind, intent: Intent, live: RemoteObject): boolean {
  const sent = listReadableFields(kind).filter(([name]) => intent.sent[name] !== undefined);
  return (
    sent.length > 0 && sent.every(([name, field]) => matchesStored(field, intent.sent[name], live.spec[name]))
  );
}

export function toSuperseded(
  { id, applied }: StateEntry,
  kind: Kind,
  declared: string,
  since: string,
): SupersededObject {
  const label = applied[kind.label];
  return { id, label: typeof label === "string" ? label : declared, since, applied };
}
