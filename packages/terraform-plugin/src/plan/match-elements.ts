import { valueKey } from "../values/equal.js";
import type { Type } from "../values/type.js";
import type { Value } from "../values/value.js";

/**
 * For each element of a set the one of `others` that fits it, or null; each is taken once, and as many as possible are.
 *
 * Elements of a set have no names, so which was which can only be inferred from what fits. An element may fit several: with
 * {a: 1, b: anything} and {a: 1, b: 2} beside each other, the first must leave {a: 1, b: 2} to the second. Whoever comes
 * first would take what another needs, and a set that nobody touched would look changed. So an element may ask the one
 * that has what it needs to look for another, which may ask in turn: augmenting paths.
 *
 * What is there word for word goes first and never moves: another that took its place would become its twin.
 */
export function matchElements(
  elements: readonly Value[],
  others: readonly Value[],
  type: Type,
  fits: (element: Value, other: Value) => boolean,
): readonly Value[] {
  const keys = elements.map((element) => valueKey(element, type));
  const there = new Set(others.map((other) => valueKey(other, type)));
  const whole = new Set(keys.filter((key) => there.has(key)));
  const open = others.filter((other) => !whole.has(valueKey(other, type)));
  const found = elements.map((element, at) => (whole.has(keys[at] ?? "") ? element : null));
  const fitting = elements.map((element, at) =>
    found[at] === null ? [...open.keys()].filter((other) => fits(element, open[other] ?? null)) : [],
  );
  /** Which element has which of the others. */
  const taken = new Map<number, number>();

  function take(element: number, asked: Set<number>): boolean {
    return (fitting[element] ?? []).some((other) => {
      if (asked.has(other)) return false;
      asked.add(other);
      const owner = taken.get(other);
      if (owner !== undefined && !take(owner, asked)) return false;
      taken.set(other, element);
      return true;
    });
  }

  for (const at of elements.keys()) take(at, new Set());
  for (const [other, element] of taken) found[element] = open[other] ?? null;
  return found;
}
