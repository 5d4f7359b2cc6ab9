import fc from "fast-check";
import { type Attribute, type Attributes, type Type, Unknown, type Value } from "../../src/index.js";
import { createEmptyRecord } from "../../src/values/shape.js";

/*
 * Generates random schemas, with configurations and states that a core could send. There are so few names and values
 * that a prior state often equals the configuration.
 */

export function generateAttributes(depth = 2): fc.Arbitrary<Attributes> {
  const attributes = fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "d", "e"), generateAttribute(depth)), {
    minLength: 1,
    maxLength: 4,
  });
  return attributes.map((entries) => Object.fromEntries(entries));
}

const types: readonly Type[] = ["string", ["list", "string"]];

const description = "";

function generateAttribute(depth: number): fc.Arbitrary<Attribute> {
  const plain = fc
    .constantFrom(...types)
    .chain((type) => generateFacts(type).map((facts): Attribute => ({ type, description, ...facts })));
  if (depth === 0) return plain;
  const nested = fc
    .constantFrom("single", "list")
    .chain((nesting) =>
      fc
        .tuple(generateAttributes(depth - 1), presence)
        .map(([attributes, facts]): Attribute => ({ nesting, attributes, description, ...facts })),
    );
  return fc.oneof({ weight: 3, arbitrary: plain }, { weight: 2, arbitrary: nested });
}

type Facts = Omit<Attribute, "type" | "nesting" | "attributes" | "description">;

const presence: fc.Arbitrary<Facts> = fc.constantFrom<Facts>(
  { required: true },
  { optional: true },
  { optional: true, computed: true },
  { optional: true, computed: true, useStateForUnknown: true },
  { optional: true, computed: true, useStateForUnknown: "even-null" },
  { computed: true },
  { computed: true, useStateForUnknown: true },
);

function generateFacts(type: Type): fc.Arbitrary<Facts> {
  const writeOnly = fc.constant<Facts>({ optional: true, writeOnly: true });
  const same =
    type === "string" ? [presence.map((facts) => ({ ...facts, semanticEquals: isSameIgnoringCase }))] : [];
  return fc.oneof(presence, writeOnly, ...same);
}

function isSameIgnoringCase(one: Value, other: Value): boolean {
  return String(one ?? "").toLowerCase() === String(other ?? "").toLowerCase();
}

/** Returns configurations that a user might write. */
export function generateConfigs(attributes: Attributes, unknowns: boolean): fc.Arbitrary<Record> {
  return generateRecord(attributes, (attribute) => {
    if (!attribute.required && !attribute.optional) return fc.constant(null);
    const given = generateGivenValues(attribute, (within) => generateConfigs(within, unknowns));
    return fc.oneof(
      { weight: 6, arbitrary: given },
      ...(attribute.required ? [] : [{ weight: 3, arbitrary: fc.constant(null) }]),
      ...(unknowns ? [{ weight: 1, arbitrary: fc.constant(Unknown) }] : []),
    );
  });
}

/** Returns states that Terraform might have stored. */
export function generateStates(attributes: Attributes): fc.Arbitrary<Record> {
  return generateRecord(attributes, (attribute) => {
    if (attribute.writeOnly) return fc.constant(null);
    const given = generateGivenValues(attribute, generateStates);
    return attribute.required ? given : fc.option(given);
  });
}

type Record = { readonly [name: string]: Value };

function generateRecord(
  attributes: Attributes,
  valueFor: (attribute: Attribute) => fc.Arbitrary<Value>,
): fc.Arbitrary<Record> {
  const entries = Object.entries(attributes).map(([name, attribute]) =>
    valueFor(attribute).map((value): [string, Value] => [name, value]),
  );
  return fc.tuple(...entries).map((parts) => Object.assign(createEmptyRecord(), Object.fromEntries(parts)));
}

function generateGivenValues(
  attribute: Attribute,
  objectOf: (attributes: Attributes) => fc.Arbitrary<Record>,
): fc.Arbitrary<Value> {
  if ("type" in attribute) return generateKnownValues(attribute.type);
  const { attributes, nesting } = attribute;
  const object = objectOf(attributes);
  if (nesting === "single") return object;
  return fc.array(object, { maxLength: 3 });
}

function generateKnownValues(type: Type): fc.Arbitrary<Value> {
  const text = fc.constantFrom("", "a", "A", "b");
  return type === "string" ? text : fc.array(text, { maxLength: 2 });
}

/** Returns the possible results of applying a plan, with a value for each unknown. */
export function generateResults(planned: Value, type: Type): fc.Arbitrary<Value> {
  if (planned === Unknown) return fc.option(generateWholeValues(type));
  if (typeof planned !== "object" || planned === null || typeof type === "string")
    return fc.constant(planned);
  if (Array.isArray(planned)) {
    const of = type[1] as Type;
    return fc.tuple(...planned.map((part: Value) => generateResults(part, of)));
  }
  const entries = Object.entries(planned).map(([name, part]) => {
    const of = type[0] === "object" ? (type[1][name] as Type) : (type[1] as Type);
    return generateResults(part, of).map((value): [string, Value] => [name, value]);
  });
  return fc.tuple(...entries).map((parts) => Object.assign(createEmptyRecord(), Object.fromEntries(parts)));
}

function generateWholeValues(type: Type): fc.Arbitrary<Value> {
  if (typeof type === "string") return generateKnownValues(type);
  if (type[0] === "list") return fc.array(generateWholeValues(type[1]), { maxLength: 2 });
  const entries = Object.entries(type[1]).map(([name, of]) =>
    fc.option(generateWholeValues(of as Type)).map((value): [string, Value] => [name, value]),
  );
  return fc.tuple(...entries).map((parts) => Object.fromEntries(parts));
}
