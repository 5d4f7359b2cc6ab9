import fc from "fast-check";
import { emptyRecord } from "../../src/values/shape.js";
import { type Type, Unknown, type Value } from "../../src/values/value.js";

/* Random types, and random values of them in the form `decodeValue` gives. */

const key = fc.oneof(fc.constantFrom("constructor", "a", "10"), fc.string({ unit: "grapheme" }));
const name = fc.constantFrom("toString", "id", "name", "links", "url");

export const anyType: fc.Arbitrary<Type> = fc.letrec<{ type: Type }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Type[]>("string", "number", "bool"),
    fc.tuple(fc.constantFrom("list", "map"), tie("type")),
    fc.tuple(fc.constant("object"), records(name, tie("type"))),
  ),
})).type;

const anyNumber = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }),
);

export function valueOfType(type: Type): fc.Arbitrary<Value> {
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom<Value[]>(null, Unknown) },
    { weight: 6, arbitrary: knownOf(type) },
  );
}

function knownOf(type: Type): fc.Arbitrary<Value> {
  if (type === "string") return fc.string({ unit: "binary" });
  if (type === "bool") return fc.boolean();
  if (type === "number") return anyNumber.map((number) => number || 0);
  switch (type[0]) {
    case "list":
      return fc.array(valueOfType(type[1]), { maxLength: 20 });
    case "map":
      return records(
        key.filter((one) => one !== "__proto__"),
        valueOfType(type[1]),
      );
    case "object": {
      const entries = Object.entries(type[1]).map(([name, inner]) =>
        valueOfType(inner).map((value): [string, Value] => [name, value]),
      );
      return fc.tuple(...entries).map(record);
    }
  }
}

function records<Of>(
  key: fc.Arbitrary<string>,
  value: fc.Arbitrary<Of>,
): fc.Arbitrary<{ [key: string]: Of }> {
  return fc.uniqueArray(fc.tuple(key, value), { maxLength: 5, selector: ([key]) => key }).map(record<Of>);
}

function record<Of = Value>(entries: readonly (readonly [string, Of])[]): { [key: string]: Of } {
  const made: { [key: string]: Of } = Object.create(null);
  for (const [key, value] of entries) made[key] = value;
  return made;
}

export function recordOf(entries: Readonly<Record<string, Value>>): { readonly [name: string]: Value } {
  return Object.assign(emptyRecord(), entries);
}
