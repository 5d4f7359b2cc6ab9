import type { Attribute, AttributeProblem, Attributes, Type, Value } from "@avatarops/terraform-plugin";
import { capitalize, conflictHint, findConflictMarkers, toCanonicalId } from "../../base/text/index.js";
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
import { toAttributeName } from "./values.js";

/** Creates a kind's attributes from its fields. */
export function toAttributes(kind: Kind): Attributes {
  const fields = Object.entries(kind.fields).map(([name, field]): [string, Attribute][] =>
    field.type === "string" && field.writeOnly
      ? createWriteOnlyAttributes(name, field)
      : [[toAttributeName(kind, name), { ...toAttribute(name, field), ...toPresence(field) }]],
  );
  return {
    id: createIdAttribute(kind),
    ...Object.fromEntries(fields.flat()),
    ...Object.fromEntries(
      Object.entries(kind.computed).map(([name, computed]) => [name, toComputedAttribute(computed)]),
    ),
    ...(chooseStrategy(kind) === "rotate" ? { superseded_ids: createSupersededIdsAttribute(kind) } : {}),
  };
}

/** Checks a field's value. The provider block can allow values in addition to the documented ones. */
export function findDisallowed(
  kind: Kind,
  name: string,
  value: Value,
  allowed: AllowedValues,
): AttributeProblem[] {
  return findSchemaProblems(createObjectSchema(kind, allowed).shape[name], name, value);
}

/** Returns the name of a write-only field's attribute, by Terraform's convention. */
export function toWriteOnlyName(field: string): string {
  return `${field}_wo`;
}

/**
 * Creates a validator that applies the same checks as the manifest. Builds its schema on first use, because most
 * processes do not validate.
 */
function createValidator(name: string, field: Field): NonNullable<Attribute["validate"]> {
  let schema: ReturnType<typeof createFieldSchema> | undefined;
  return (value) => {
    schema ??= createFieldSchema(field);
    return [...findSchemaProblems(schema, name, value), ...findMergeConflict(name, value)];
  };
}

/** Creates the attributes `on_removal` and `on_rotation`, which only resources have. */
export function createPolicyAttributes(kind: Kind): Attributes {
  const createPolicy = (name: string, effect: string): Attributes => {
    const description = `Needs a \`profile\` in the provider block. ${effect}`;
    const validate = (value: Value) => findSchemaProblems(createObjectSchema(kind).shape[name], name, value);
    return { [name]: { type: "string", optional: true, description, validate } };
  };
  return {
    ...(isRemovable(kind) ? createPolicy("on_removal", onRemovalDescription) : {}),
    ...(isSupersededOnChange(kind) ? createPolicy("on_rotation", onRotationDescription) : {}),
  };
}

/** Checks a value against a schema. */
export function findSchemaProblems(
  schema: Parameters<typeof findProblems>[0] | undefined,
  name: string,
  value: Value,
) {
  return schema ? findProblems(schema, name, value).map(describeIssue) : [];
}

function describeIssue({ message, hint }: ReturnType<Validator>[number]): AttributeProblem {
  return { summary: message, ...(hint === undefined ? {} : { detail: toSentence(hint) }) };
}

export function toSentence(hint: string): string {
  return `${capitalize(hint)}${/[?.]$/.test(hint) ? "" : "."}`;
}

function createIdAttribute({ identity, name }: Kind): Attribute {
  if (identity === "created") {
    return {
      type: "string",
      computed: true,
      useStateForUnknown: true,
      description: `Id of the ${name}, assigned by the service.`,
    };
  }
  return {
    type: "string",
    required: true,
    requiresReplace: true,
    description: `Id of the existing ${name} that the resource adopts. Changing the id replaces the resource.`,
    semanticEquals: (a, b) =>
      a !== null && b !== null && toCanonicalId(String(a)) === toCanonicalId(String(b)),
    validate: (value) =>
      findSchemaProblems(createFieldSchema({ type: "string", format: "uuid", description: "" }), "id", value),
  };
}

/** Creates an attribute without `required`, `optional` or `computed`. */
function toAttribute(name: string, field: Field): Attribute {
  // Terraform would read the service's placeholders as template expressions.
  const escaped = field.description.includes("${") ? " In Terraform, escape it as `$${name}`." : "";
  const description = field.description + escaped + (field.type === "reference" ? " Its id." : "");
  if (field.type === "object") return { nesting: "single", description, attributes: toParts(field) };
  if (field.type === "list" && field.item.type === "object")
    return { nesting: "list", description, attributes: toParts(field.item) };
  return {
    ...{ type: toType(field), description, semanticEquals: toSemanticEquals(field) },
    // If the provider block can allow more values, the plan checks them.
    ...(field.type === "string" && field.valuesFrom ? {} : { validate: createValidator(name, field) }),
  };
}

function toParts({ parts }: ObjectField): Attributes {
  const attributes = Object.entries(parts).map(([name, part]) => [
    name,
    { ...toAttribute(name, part), ...(part.required ? { required: true } : { optional: true }) },
  ]);
  return Object.fromEntries(attributes);
}

/** Returns Terraform's type for a field that contains no objects. Objects become nested attributes instead. */
export function toType(field: Field): Type {
  if (field.type === "list") return ["list", toType(field.item)];
  return field.type === "number" ? "number" : field.type === "boolean" ? "bool" : "string";
}

/** Finds conflict markers, as the rule `merge-conflict` does in manifests. */
function findMergeConflict(name: string, value: Value): AttributeProblem[] {
  if (typeof value !== "string" || !findConflictMarkers(value)) return [];
  return [{ summary: `${name} contains git conflict markers`, detail: toSentence(conflictHint) }];
}

/** Returns a comparison that ignores line endings, which differ in a checkout on Windows. */
function toSemanticEquals(field: Field): NonNullable<Attribute["semanticEquals"]> {
  return (a, b) => a !== null && b !== null && areValuesEqual(field, a as KindValue, b as KindValue);
}

/**
 * Returns whether an attribute is required, or optional and computed. An unset optional field keeps the service's
 * value, which may be null.
 */
function toPresence(
  field: Field,
): Pick<Attribute, "required" | "optional" | "computed" | "useStateForUnknown"> {
  if (field.required) return { required: true };
  return { optional: true, computed: true, useStateForUnknown: "even-null" };
}

/** Creates a write-only field's attributes. The value is optional, because only a create needs it. */
function createWriteOnlyAttributes(name: string, field: StringField): [string, Attribute][] {
  const value: Attribute = {
    type: "string",
    optional: true,
    sensitive: true,
    writeOnly: true,
    description: `${field.description.split(/[,;]/)[0]}. Required for a create. Not stored in plans or the state. Set it from a variable, an ephemeral resource or a function.`,
    validate: createValidator(name, field),
  };
  const version: Attribute = {
    type: "number",
    optional: true,
    description: `If set, \`${toWriteOnlyName(name)}\` is sent again only when this number changes. Otherwise a fingerprint in the private state detects a new value.`,
  };
  return [
    [toWriteOnlyName(name), value],
    [`${toWriteOnlyName(name)}_version`, version],
  ];
}

function createSupersededIdsAttribute({ name }: Kind): Attribute {
  return {
    type: ["list", "string"],
    computed: true,
    useStateForUnknown: true,
    description: `Former ids of the ${name}, oldest first, except those known to be deleted.`,
  };
}

function toComputedAttribute({
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
