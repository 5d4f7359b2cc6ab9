import { toMapping } from "../../base/text/index.js";

/** A copy of an object with one value set; `path` is keys, and numbers of list entries. Creates missing objects on the way. */
export function withValue(
  object: Readonly<Record<string, unknown>>,
  path: readonly (string | number)[],
  value: unknown,
): Readonly<Record<string, unknown>> {
  return placed(object, path, value) as Readonly<Record<string, unknown>>;
}

function placed(within: unknown, [key, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof key === "number" && Array.isArray(within))
    return within.map((entry, i) => (i === key ? placed(entry, rest, value) : entry));
  const object = toMapping(within);
  const inner = Object.hasOwn(object, key) ? object[key] : undefined;
  return { ...object, [key]: placed(inner, rest, value) };
}
