import type { Path } from "../diagnostic.js";
import { type Child, childType, listChildren } from "../values/children.js";
import { sameValue, valueKey } from "../values/equal.js";
import type { Type } from "../values/type.js";
import { Dynamic, Unknown, type Value } from "../values/value.js";
import { countDistinct } from "./common-violations.js";
import type { Violation } from "./violation.js";

/** Where a state is not what was planned, although that was known. The state is wholly known. */
export function planDifferences(
  planned: Value,
  state: Value,
  type: Type,
  path: Path = [],
): readonly Violation[] {
  if (planned === Unknown) return [];
  if (type === "dynamic") return dynamicDifferences(planned, state, path);
  if (planned === null || state === null) return planned === state ? [] : [{ path, rule: changed }];
  if (typeof type === "string") return sameValue(planned, state, type) ? [] : [{ path, rule: changed }];
  if (type[0] === "set") return unmatched(listChildren(planned, type), listChildren(state, type), path);
  const left = new Map(listChildren(state, type).map((child) => [stepKey(child), child]));
  const violations: Violation[] = [];
  for (const child of listChildren(planned, type)) {
    const found = left.get(stepKey(child));
    left.delete(stepKey(child));
    const at = [...path, child.step];
    if (found)
      for (const one of planDifferences(child.value, found.value, child.type, at)) violations.push(one);
    else violations.push({ path: at, rule: "was planned and must not vanish" });
  }
  for (const { step } of left.values())
    violations.push({ path: [...path, step], rule: "was not planned and must not appear" });
  return violations;
}

const changed = "was known in the plan and must stay as planned";

/** A dynamic value planned null may become anything, as what is unknown may. */
function dynamicDifferences(planned: Value, state: Value, path: Path): readonly Violation[] {
  if (!(planned instanceof Dynamic)) return [];
  if (!(state instanceof Dynamic)) return [{ path, rule: changed }];
  if (!fits(state.type, planned.type)) return [{ path, rule: "must stay of the type that was planned" }];
  return planDifferences(planned.value, state.value, planned.type, path);
}

/** Whether a type is the planned one, which is dynamic wherever it was not known yet. */
function fits(type: Type, planned: Type): boolean {
  if (planned === "dynamic") return true;
  if (typeof planned === "string" || typeof type === "string") return type === planned;
  if (type[0] === "tuple" && planned[0] === "tuple") {
    const [, types] = type;
    return (
      types.length === planned[1].length &&
      planned[1].every((child, at) => fits(types[at] ?? "dynamic", child))
    );
  }
  if (type[0] === "object" && planned[0] === "object") {
    const [, types] = type;
    const children = Object.entries(planned[1]);
    return (
      Object.keys(types).length === children.length &&
      children.every(([name, child]) => Object.hasOwn(types, name) && fits(types[name] ?? "dynamic", child))
    );
  }
  return type[0] === planned[0] && fits(childType(type, 0), childType(planned, 0));
}

/**
 * The elements of a set have no names. Each one planned must have become some element of the state, and each of the
 * state must have been planned; elements that were unknown may have become one and the same.
 */
function unmatched(planned: readonly Child[], state: readonly Child[], path: Path): readonly Violation[] {
  const exact = new Set(planned.map((child) => valueKey(child.value, child.type)));
  const here = new Set(state.map((child) => valueKey(child.value, child.type)));
  // Pairs are tried only of what is not there word for word: the elements that are partly unknown.
  const open = planned.filter((child) => !here.has(valueKey(child.value, child.type)));
  const arrived = state.filter((child) => !exact.has(valueKey(child.value, child.type)));
  const vanished = open.some((child) => !state.some((other) => became(child, other)));
  if (vanished) return [{ path, rule: "has lost an element that was planned" }];
  const appeared = arrived.some((other) => !open.some((child) => became(child, other)));
  const most = countDistinct(
    planned.map(({ value }) => value),
    planned[0]?.type ?? "dynamic",
  );
  if (appeared || here.size > most) return [{ path, rule: "has an element that was not planned" }];
  return [];
}

function became(planned: Child, state: Child): boolean {
  return planDifferences(planned.value, state.value, planned.type).length === 0;
}

/** Where a child stands, in one spelling. */
function stepKey({ step }: Child): string {
  return valueKey(typeof step === "object" ? step.key : String(step), "string");
}
