import type { Attribute, AttributeProblem, Attributes, Type, Value } from "@avatarops/terraform-plugin";
import { capitalise, conflictHint, findConflictMarkers, toCanonicalId } from "../../base/text/index.js";
import {
  type AllowedValues,
  areValuesEqual,
  type ComputedAttribute,
  createFieldSchema,
  createObjectSchema,
  type Field,
  findProblems,
  isRemovable,
  isSupersededOnChange,
  type Kind,
  type Value as KindValue,
  type ObjectField,
  onRemovalDescription,
  onRotationDescription,
  type StringField,
  type Validator,
} from "../../core/kinds/index.js";
import { chooseStrategy } from "./strategy.js";
import { attributeOf } from "./values.js";

/** The attributes of a kind, from its table of fields: there is no second list. */
export function toAttributes(kind: Kind): Attributes {
  const fields = Object.entries(kind.fields).map(([name, field]): [string, Attribute][] =>
    field.type === "string" && field.writeOnly
      ? writeOnlyAttributes(name, field)
      : [[attributeOf(kind, name), { ...toAttribute(name, field), ...presence(field) }]],
  );
  return {
    id: idAttribute(kind),
    ...Object.fromEntries(fields.flat()),
    ...Object.fromEntries(
      Object.entries(kind.computed).map(([name, computed]) => [name, computedAttribute(computed)]),
    ),
    ...(chooseStrategy(kind) === "rotate" ? { superseded_ids: supersededIds(kind) } : {}),
  };
}

/** What is wrong with the value of a field, given the values that this account allows. */
export function disallowed(
  kind: Kind,
  name: string,
  value: Value,
  allowed: AllowedValues,
): AttributeProblem[] {
  return schemaProblems(createObjectSchema(kind, allowed).shape[name], name, value);
}

/** The attribute that a write-only field is given in; Terraform's convention. */
export function writeOnlyName(field: string): string {
  return `${field}_wo`;
}

/** The checks of the manifest. Made at the first use: most runs of the provider check nothing. */
function newCheck(name: string, field: Field): NonNullable<Attribute["validate"]> {
  let schema: ReturnType<typeof createFieldSchema> | undefined;
  return (value) => {
    schema ??= createFieldSchema(field);
    return [...schemaProblems(schema, name, value), ...unfinishedMerge(name, value)];
  };
}

/** What is to become of objects, which only resources say. */
export function policyAttributes(kind: Kind): Attributes {
  const policy = (name: string, words: string): Attributes => {
    const description = `Needs a \`profile\` of the provider. ${words}`;
    const validate = (value: Value) => schemaProblems(createObjectSchema(kind).shape[name], name, value);
    return { [name]: { type: "string", optional: true, description, validate } };
  };
  return {
    ...(isRemovable(kind) ? policy("on_removal", onRemovalDescription) : {}),
    ...(isSupersededOnChange(kind) ? policy("on_rotation", onRotationDescription) : {}),
  };
}

/** What a schema says of the value of an attribute. */
export function schemaProblems(
  schema: Parameters<typeof findProblems>[0] | undefined,
  name: string,
  value: Value,
) {
  return schema ? findProblems(schema, name, value).map(describeIssue) : [];
}

function describeIssue({ message, hint }: ReturnType<Validator>[number]): AttributeProblem {
  return { summary: message, ...(hint === undefined ? {} : { detail: sentence(hint) }) };
}

/** A hint as a sentence. */
export function sentence(hint: string): string {
  return `${capitalise(hint)}${/[?.]$/.test(hint) ? "" : "."}`;
}

function idAttribute({ identity, name }: Kind): Attribute {
  if (identity === "created") {
    return {
      type: "string",
      computed: true,
      useStateForUnknown: true,
      description: `Id of the ${name}, made by the service.`,
    };
  }
  return {
    type: "string",
    required: true,
    requiresReplace: true,
    description: `Id of the ${name} in the account: it exists already and is adopted. Another id is another ${name}.`,
    semanticEquals: (a, b) =>
      a !== null && b !== null && toCanonicalId(String(a)) === toCanonicalId(String(b)),
    validate: (value) =>
      schemaProblems(createFieldSchema({ type: "string", format: "uuid", description: "" }), "id", value),
  };
}

/** An attribute without who sets it. */
function toAttribute(name: string, field: Field): Attribute {
  // What is the service's placeholder is also the configuration language's.
  const escaped = field.description.includes("${") ? " In a configuration, write `$${name}`." : "";
  const description = field.description + escaped + (field.type === "reference" ? " Its id." : "");
  if (field.type === "object") return { nesting: "single", description, attributes: toParts(field) };
  if (field.type === "list" && field.item.type === "object")
    return { nesting: "list", description, attributes: toParts(field.item) };
  return {
    ...{ type: toType(field), description, semanticEquals: toSemanticEquals(field) },
    // Values that a setting of the provider adds to are checked where the setting is known: when planning.
    ...(field.type === "string" && field.valuesFrom ? {} : { validate: newCheck(name, field) }),
  };
}

function toParts({ parts }: ObjectField): Attributes {
  const attributes = Object.entries(parts).map(([name, part]) => [
    name,
    { ...toAttribute(name, part), ...(part.required ? { required: true } : { optional: true }) },
  ]);
  return Object.fromEntries(attributes);
}

/** The type of a field that has no objects in it: those are nested. */
export function toType(field: Field): Type {
  if (field.type === "list") return ["list", toType(field.item)];
  return field.type === "number" ? "number" : field.type === "boolean" ? "bool" : "string";
}

/** What the rule `merge-conflict` refuses in a manifest. */
function unfinishedMerge(name: string, value: Value): AttributeProblem[] {
  if (typeof value !== "string" || !findConflictMarkers(value)) return [];
  return [{ summary: `${name} has git's conflict markers`, detail: sentence(conflictHint) }];
}

/** Texts that differ only in line ends, as in a checkout on Windows, are the same. */
function toSemanticEquals(field: Field): NonNullable<Attribute["semanticEquals"]> {
  return (a, b) => a !== null && b !== null && areValuesEqual(field, a as KindValue, b as KindValue);
}

/** Unset, a field is as the service has it, which may be nothing. */
function presence(
  field: Field,
): Pick<Attribute, "required" | "optional" | "computed" | "useStateForUnknown"> {
  if (field.required) return { required: true };
  return { optional: true, computed: true, useStateForUnknown: "even-null" };
}

/** The value is optional: only to make an object is it needed, and of one that is imported nobody may know it. */
function writeOnlyAttributes(name: string, field: StringField): [string, Attribute][] {
  const value: Attribute = {
    type: "string",
    optional: true,
    sensitive: true,
    writeOnly: true,
    description: `${field.description.split(/[,;]/)[0]}. Needed to make a new one. Never in a plan or a state; take it from a variable, an ephemeral resource or a function.`,
    validate: newCheck(name, field),
  };
  const version: Attribute = {
    type: "number",
    optional: true,
    description: `Where it is set, \`${writeOnlyName(name)}\` is sent again only when this changes. Without it, a new value is noticed by a fingerprint kept beside the state.`,
  };
  return [
    [writeOnlyName(name), value],
    [`${writeOnlyName(name)}_version`, version],
  ];
}

function supersededIds({ name }: Kind): Attribute {
  return {
    type: ["list", "string"],
    computed: true,
    useStateForUnknown: true,
    description: `Ids that the ${name} had before, oldest first, as far as they are not known to be deleted.`,
  };
}

function computedAttribute({
  type,
  description,
  members = [],
  changesOnWrite,
}: ComputedAttribute): Attribute {
  const types: Record<ComputedAttribute["type"], Type> = {
    string: "string",
    boolean: "bool",
    object: ["object", Object.fromEntries(members.map((member) => [member, "string"]))],
  };
  return {
    type: types[type],
    computed: true,
    description,
    ...(changesOnWrite ? {} : { useStateForUnknown: "even-null" }),
  };
}
