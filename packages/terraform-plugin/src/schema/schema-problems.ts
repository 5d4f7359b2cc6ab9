import type { Attribute, Attributes } from "../attribute.js";
import type { Parameter, Provider, ProviderFunction } from "../provider.js";
import { isWhollyKnown } from "../values/children.js";
import { encodeValue } from "../values/msgpack.js";
import { own } from "../values/shape.js";
import type { Type } from "../values/type.js";
import { ValueError } from "../values/value-error.js";
import { attributeType } from "./schema-type.js";

/**
 * What is wrong with the schemas of a provider, each a sentence: what Terraform refuses, what would never do what it says,
 * and what generators of bindings cannot take. For a test of the provider; a served one is not checked again.
 */
export function schemaProblems<Client>(provider: Provider<Client>): readonly string[] {
  const { name, attributes, resources, dataSources, ephemeralResources, listResources, actions, functions } =
    provider;
  const place: Place = { reserved: ["alias", "version"], writeOnly: false, isInSet: false };
  return [
    ...objectProblems("the provider", attributes, place),
    ...typeProblems("resource", name, resources),
    ...typeProblems("data source", name, dataSources),
    ...typeProblems("ephemeral resource", name, ephemeralResources),
    ...typeProblems("list resource", name, listResources),
    ...typeProblems("action", name, actions),
    ...Object.keys(listResources).flatMap((type) =>
      unless(
        own(resources, type)?.identity !== undefined,
        `list resource ${type} needs a resource of this name with an identity`,
      ),
    ),
    ...Object.entries(functions).flatMap(([called, definition]) => functionProblems(called, definition)),
  ];
}

/** Where attributes stand. */
interface Place {
  /** Words that are Terraform's there. */
  readonly reserved: readonly string[];
  /** Only resources have a configuration beside their state. */
  readonly writeOnly: boolean;
  readonly isInSet: boolean;
}

const reservedInBlocks = [
  "connection",
  "count",
  "depends_on",
  "for_each",
  "lifecycle",
  "provider",
  "provisioner",
];

/** Members of the classes that generated bindings extend. */
const takenByBindings = [
  "constructor",
  "add_override",
  "raw_overrides",
  "to_terraform",
  "fqn",
  "friendly_unique_id",
  "internal_value",
  "resolve",
];

interface Definition {
  readonly attributes: Attributes;
  readonly description: string;
  readonly version?: number;
  readonly identity?: readonly string[];
  readonly upgradeState?: { readonly [version: number]: unknown };
}

function typeProblems(
  sort: "resource" | "data source" | "ephemeral resource" | "list resource" | "action",
  prefix: string,
  definitions: { readonly [type: string]: Definition },
): readonly string[] {
  const place: Place = { reserved: reservedInBlocks, writeOnly: sort === "resource", isInSet: false };
  return Object.entries(definitions).flatMap(([type, definition]) => {
    const { attributes, description, version = 0, upgradeState = {}, identity = [] } = definition;
    const problems = [
      ...nameProblems(type),
      ...unless(type.startsWith(`${prefix}_`), `must begin with "${prefix}_"`),
      ...unless(description !== "", "has no description"),
      ...identity.flatMap((part) =>
        unless(
          isScalar(own(attributes, part)),
          `has ${part} in its identity, which is no text, number or bool`,
        ),
      ),
      ...[...Array(version).keys()].flatMap((from) =>
        unless(from in upgradeState, `cannot upgrade states of version ${from}`),
      ),
    ];
    const owner = `${sort} ${type}`;
    return [...problems.map((problem) => `${owner} ${problem}`), ...objectProblems(owner, attributes, place)];
  });
}

function objectProblems(owner: string, attributes: Attributes, place: Place): readonly string[] {
  return Object.entries(attributes).flatMap(([name, attribute]) => {
    // Of an attribute `tools`, bindings make also these.
    const made = [`${name}_input`, `reset_${name}`, `put_${name}`];
    const problems = [
      ...nameProblems(name),
      ...unless(!place.reserved.includes(name), "is reserved by Terraform"),
      ...made.flatMap((other) =>
        unless(!Object.hasOwn(attributes, other), `conflicts with ${other} in generated bindings`),
      ),
      ...presenceProblems(attribute),
      ...conflictProblems(attribute, place),
    ];
    const at = `${owner}: ${name}`;
    const within = { ...place, reserved: [], isInSet: place.isInSet || isSet(attribute) };
    return [
      ...problems.map((problem) => `${at} ${problem}`),
      ...("type" in attribute
        ? dataTypeProblems(attribute.type, place.isInSet).map((problem) => `${at} ${problem}`)
        : objectProblems(at, attribute.attributes, within)),
    ];
  });
}

function isScalar(attribute: Attribute | undefined): boolean {
  return attribute !== undefined && "type" in attribute && typeof attribute.type === "string";
}

function isSet(attribute: Attribute): boolean {
  return "nesting" in attribute && attribute.nesting === "set";
}

function presenceProblems({ required, optional, computed }: Attribute): readonly string[] {
  return required
    ? unless(!optional && !computed, "is required, and thus neither optional nor computed")
    : unless(optional || computed, "must be required, optional or computed");
}

/** Facts that make no sense together, or where they stand. */
function conflictProblems(attribute: Attribute, place: Place): readonly string[] {
  const {
    description,
    optional,
    computed,
    useStateForUnknown: keep,
    requiresReplace: replace,
    default: fallback,
    writeOnly,
  } = attribute;
  return [
    ...unless(description !== "", "has no description"),
    ...unless(!keep || computed, "has useStateForUnknown without being computed"),
    ...unless(
      fallback === undefined || (optional && computed),
      "has a default and must be optional and computed",
    ),
    ...unless(fallback === undefined || isOfType(fallback, attribute), "has a default of another type"),
    ...unless(!writeOnly || !computed, "is write-only and cannot be computed"),
    ...unless(!writeOnly || place.writeOnly, "cannot be write-only: only an attribute of a resource can"),
    ...unless(
      !writeOnly || !replace,
      "is write-only: whether it changed is not seen, so it replaces nothing",
    ),
    ...unless(!writeOnly || !place.isInSet, "is in a set and cannot be write-only"),
    ...unless(
      fallback === undefined || !place.isInSet,
      "is in a set and cannot have a default: two elements might become one",
    ),
    ...unless(!replace || !place.isInSet, "is in a set, which can only be replaced as a whole"),
  ];
}

function isOfType(fallback: Parameters<typeof encodeValue>[0], attribute: Attribute): boolean {
  const type = attributeType(attribute);
  try {
    encodeValue(fallback, type);
    return isWhollyKnown(fallback, type);
  } catch (error) {
    if (error instanceof ValueError) return false;
    throw error;
  }
}

function dataTypeProblems(type: Type, isInSet: boolean): readonly string[] {
  if (type === "dynamic") return unless(!isInSet, "is in a set and cannot be dynamic");
  if (typeof type === "string") return [];
  if (type[0] === "tuple") return ["has a tuple in its type, which generated bindings do not support"];
  if (type[0] === "object") return Object.values(type[1]).flatMap((part) => dataTypeProblems(part, isInSet));
  // The elements would have one type all the same, which cannot be known beforehand.
  if (type[1] === "dynamic") return [`has elements of type dynamic: make the ${type[0]} itself dynamic`];
  return dataTypeProblems(type[1], isInSet || type[0] === "set");
}

function functionProblems(name: string, definition: ProviderFunction): readonly string[] {
  const { summary, description, parameters, variadic, returns } = definition;
  const all: readonly Parameter[] = variadic ? [...parameters, variadic] : parameters;
  const names = all.map((parameter) => parameter.name);
  const problems = [
    ...nameProblems(name),
    ...unless(summary !== "" && description !== "", "has no summary or no description"),
    ...unless(new Set(names).size === names.length, "has two parameters of one name"),
    ...dataTypeProblems(returns, false),
  ];
  const owner = `function ${name}`;
  return [
    ...problems.map((problem) => `${owner} ${problem}`),
    ...all.flatMap((parameter) => parameterProblems(parameter).map((problem) => `${owner}: ${problem}`)),
  ];
}

function parameterProblems({ name, type, description }: Parameter): readonly string[] {
  const problems = [
    ...nameProblems(name),
    ...unless(description !== "", "has no description"),
    ...dataTypeProblems(type, false),
  ];
  return problems.map((problem) => `${name} ${problem}`);
}

function nameProblems(name: string): readonly string[] {
  return [
    ...unless(/^[a-z][a-z0-9_]*$/.test(name), "must be named with lower-case letters, digits and _"),
    ...unless(!takenByBindings.includes(name), "is reserved in generated bindings"),
  ];
}

function unless(isRight: boolean | undefined, problem: string): readonly string[] {
  return isRight ? [] : [problem];
}
