import { toMapping } from "../../base/text/index.js";

/** Returns a copy of a mapping with one value set at a path of keys and list indexes. Creates missing mappings. */
export function withValue(
  object: Readonly<Record<string, unknown>>,
  path: readonly (string | number)[],
  value: unknown,
): Readonly<Record<string, unknown>> {
  return setAt(object, path, value) as Readonly<Record<string, unknown>>;
}

function setAt(within: unknown, [key, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof key === "number" && Array.isArray(within))
    return within.map((entry, i) => (i === key ? setAt(entry, rest, value) : entry));
  const object = toMapping(within);
  const inner = Object.hasOwn(object, key) ? object[key] : undefined;
  return { ...object, [key]: setAt(inner, rest, value) };
}
