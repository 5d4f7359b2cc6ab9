import fc from "fast-check";
import { numberFrom } from "../../src/values/number.js";
import { emptyRecord } from "../../src/values/shape.js";
import type { Type } from "../../src/values/type.js";
import { Dynamic, type NumberValue, Unknown, type Value } from "../../src/values/value.js";

/* Random types, and random values of them in the form `decodeValue` gives. */

const key = fc.oneof(fc.constantFrom("__proto__", "constructor", "a", "10"), fc.string({ unit: "binary" }));
const name = fc.constantFrom("__proto__", "toString", "id", "name", "links", "url");

export const anyType: fc.Arbitrary<Type> = fc.letrec<{ type: Type; concrete: Type }>((tie) => ({
  type: fc.oneof({ maxDepth: 4 }, fc.constantFrom("string", "number", "bool", "dynamic"), tie("concrete")),
  concrete: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Type[]>("string", "number", "bool"),
    fc.tuple(fc.constantFrom("list", "set", "map"), tie("type")),
    fc.tuple(fc.constant("tuple"), fc.array(tie("type"), { maxLength: 3 })),
    fc.tuple(fc.constant("object"), records(name, tie("type"))),
  ),
})).type;

/** Texts of numbers of every size, exact or not in doubles. */
export const numberText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.bigInt({ min: 0n, max: 10n ** 40n }),
    fc.option(fc.bigInt({ min: 0n, max: 10n ** 30n }), { nil: undefined }),
    fc.option(fc.integer({ min: -400, max: 400 }), { nil: undefined }),
  )
  .map(([sign, whole, fraction, exponent]) =>
    [
      sign,
      whole,
      fraction === undefined ? "" : `.${fraction}`,
      exponent === undefined ? "" : `e${exponent}`,
    ].join(""),
  );

const anyNumber: fc.Arbitrary<NumberValue> = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger().map((integer) => integer || 0),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((double) => numberFrom(String(double)) ?? 0),
  numberText.map((text) => numberFrom(text) ?? 0),
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
  if (type === "number") return anyNumber;
  if (type === "dynamic")
    return anyType
      .filter((inner) => inner !== "dynamic")
      .chain((inner) => valueOfType(inner).map((value) => new Dynamic(inner, value)));
  switch (type[0]) {
    case "list":
    case "set":
      return fc.array(valueOfType(type[1]), { maxLength: 20 });
    case "map":
      return records(key, valueOfType(type[1]));
    case "tuple":
      return fc.tuple(...type[1].map(valueOfType));
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
