import type { Attribute, AttributeProblem, Attributes, Type, Value } from "@avatarops/terraform-plugin";
import { capitalise, conflictHint, conflictInText } from "../../base/text/index.js";
import {
  type AllowedValues,
  type ComputedAttribute,
  emptyValue,
  isRemovable,
  isRotated,
  type Kind,
  type ListField,
  objectSchema,
  onRemovalDescription,
  onRotationDescription,
  presetTypes,
  problemsIn,
  type ReferenceField,
  type ScalarField,
  type StringField,
  sameValue,
  type Validator,
} from "../../core/kinds/index.js";
import { chooseStrategy } from "./strategy.js";
import { attributeOf } from "./values.js";

/** The attributes of a kind, from its table of fields: there is no second list. */
export function toAttributes(kind: Kind): Attributes {
  const check = newCheck(kind);
  const fields = Object.entries(kind.fields).map(([name, field]): [string, Attribute][] =>
    field.type === "string" && field.writeOnly
      ? writeOnlyAttributes(name, field, check)
      : [
          [
            attributeOf(kind, name),
            field.type === "list" ? listAttribute(name, field, check) : plainAttribute(name, field, check),
          ],
        ],
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
  return schemaProblems(objectSchema(kind, allowed).shape[name], name, value);
}

/** The attribute that a write-only field is given in; Terraform's convention. */
export function writeOnlyName(field: string): string {
  return `${field}_wo`;
}

type Check = (path: readonly string[], value: Value) => readonly AttributeProblem[];

/** The checks of the manifest, value by value. Made at the first use: most runs of the provider check nothing. */
function newCheck(kind: Kind): Check {
  let shapes: ReturnType<typeof objectSchema>["shape"] | undefined;
  return ([name = "", key], value) => {
    shapes ??= objectSchema(kind).shape;
    const field = kind.fields[name];
    if (key === undefined || field?.type !== "list")
      return [...schemaProblems(shapes[name], name, value), ...unfinishedMerge(name, value)];
    // An entry of its own, since attributes of entries are checked one by one.
    const problems = problemsIn(shapes[name], name, [{ [key]: value }]);
    const own = problems.filter(({ path }) => path[1] === key).map((problem) => describeIssue(problem, key));
    return [...own, ...unfinishedMerge(key, value)];
  };
}

/** What is to become of objects, which only resources say. */
export function policyAttributes(kind: Kind): Attributes {
  const check = newCheck(kind);
  const policy = (name: string, words: string): Attributes => {
    const description = `Needs a \`profile\` of the provider. ${words}`;
    return {
      [name]: { type: "string", optional: true, description, validate: (value) => check([name], value) },
    };
  };
  return {
    ...(isRemovable(kind) ? policy("on_removal", onRemovalDescription) : {}),
    ...(isRotated(kind) ? policy("on_rotation", onRotationDescription) : {}),
  };
}

/** What a schema says of the value of an attribute. */
export function schemaProblems(
  schema: Parameters<typeof problemsIn>[0] | undefined,
  name: string,
  value: Value,
) {
  return schema ? problemsIn(schema, name, value).map((problem) => describeIssue(problem)) : [];
}

function describeIssue({ message, hint }: ReturnType<Validator>[number], key?: string): AttributeProblem {
  const summary = key === undefined ? message : message.replace(/^[^ ]+/, key);
  return { summary, ...(hint === undefined ? {} : { detail: sentence(hint) }) };
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
    validate: (value) => schemaProblems(presetTypes.id(), "id", value),
  };
}

type PlainField = StringField | ScalarField | ReferenceField;

function plainAttribute(name: string, field: PlainField, check: Check): Attribute {
  // What is the service's placeholder is also the configuration language's.
  const escaped = field.description.includes("${") ? " In a configuration, write `$${name}`." : "";
  return {
    type: field.type === "number" ? "number" : field.type === "boolean" ? "bool" : "string",
    description: field.description + escaped + (field.type === "reference" ? " Its id." : ""),
    ...presence(field),
    semanticEquals: sameText(field),
    // Values that a setting of the provider adds to are checked where the setting is known: when planning.
    ...(field.type === "string" && field.valuesFrom ? {} : { validate: (value) => check([name], value) }),
  };
}

/** What the rule `merge-conflict` refuses in a manifest. */
function unfinishedMerge(name: string, value: Value): AttributeProblem[] {
  if (typeof value !== "string" || !conflictInText(value)) return [];
  return [{ summary: `${name} has git's conflict markers`, detail: sentence(conflictHint) }];
}

/** Texts that differ only in line ends, as in a checkout on Windows, are the same. */
function sameText(field: PlainField): NonNullable<Attribute["semanticEquals"]> {
  return (a, b) => typeof a === "string" && typeof b === "string" && sameValue(field, a, b);
}

/** A field that cannot be cleared stays as the service has it where it is not set. */
function presence(
  field: PlainField,
): Pick<Attribute, "required" | "optional" | "computed" | "useStateForUnknown"> {
  if (field.required) return { required: true };
  return emptyValue(field) !== undefined
    ? mayBeUnset
    : { optional: true, computed: true, useStateForUnknown: true };
}

/** Unset, it is as the service has it, which may be nothing. */
const mayBeUnset = { optional: true, computed: true, useStateForUnknown: "even-null" } as const;

function listAttribute(name: string, field: ListField, check: Check): Attribute {
  const items = Object.entries(field.item).map(([key, item]): [string, Attribute] => [
    key,
    {
      type: "string",
      description: item.description,
      ...(item.required ? { required: true } : { optional: true }),
      semanticEquals: sameText(item),
      validate: (value) => check([name, key], value),
    },
  ]);
  const { description } = field;
  return { nesting: "list", ...mayBeUnset, description, attributes: Object.fromEntries(items) };
}

/** The value is optional: only to make an object is it needed, and of one that is imported nobody may know it. */
function writeOnlyAttributes(name: string, field: StringField, check: Check): [string, Attribute][] {
  const value: Attribute = {
    type: "string",
    optional: true,
    sensitive: true,
    writeOnly: true,
    description: `${field.description.split(/[,;]/)[0]}. Needed to make a new one. Never in a plan or a state; take it from a variable, an ephemeral resource or a function.`,
    validate: (given) => check([name], given),
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

function computedAttribute({ type, description, members = [], constant }: ComputedAttribute): Attribute {
  const types: Record<ComputedAttribute["type"], Type> = {
    string: "string",
    boolean: "bool",
    object: ["object", Object.fromEntries(members.map((member) => [member, "string"]))],
  };
  return {
    type: types[type],
    computed: true,
    description,
    ...(constant ? { useStateForUnknown: true } : {}),
  };
}
