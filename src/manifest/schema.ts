import * as z from "zod";
import { documentKind, kinds, schemaOf, valueSettings } from "../kinds/index.js";
import { manifestForm } from "./form.js";

type JsonSchema = { [key: string]: unknown };

/**
 * JSON Schema of the manifest for editors, draft 7, which YAML language servers know best; made from the same tables as
 * the loader's checks. Tags are unknown to JSON Schema: an editor passes the text behind `!env` or `!file` as a string and
 * the list behind `!exec` as an array.
 */
export function manifestSchema(): JsonSchema {
  const { $schema, properties, ...schema } = schemaFor(manifestForm);
  const fields = properties as JsonSchema;
  return explained({
    $schema,
    title: "avatarops manifest",
    description: `Interactive avatars as code: ${kinds.map(({ collection }) => collection).join(", ")} and session presets.`,
    examples: [{ include: [`${documentKind.kind.collection}/*.md`], ...adopted() }],
    ...schema,
    // An environment may change one field of an object; what must be there is known only when it is laid over the rest.
    properties: { ...fields, environments: withoutRequired(fields.environments) },
    patternProperties: { "^x-": { description: "Your own, for anchors." } },
    ...onlyKnownValues(),
  });
}

/** An object that exists already, as an example. */
function adopted(): JsonSchema {
  const kind = kinds.find(({ identity }) => identity === "adopted");
  return kind ? { [kind.collection]: { host: { id: "7d1f0c1e-3c52-4b7e-9a61-0d0f5b1c8e21" } } } : {};
}

/** JSON Schema of the front matter of a Markdown file: one object, whose prose is the body below. */
export function frontMatterSchema(): JsonSchema {
  const { kind, body } = documentKind;
  const { $schema, required, ...schema } = schemaFor(schemaOf(kind));
  return explained({
    $schema,
    title: `avatarops ${kind.name} in Markdown`,
    description: `Front matter of a ${kind.name}: its fields but for \`${body}\`, which is the text below.`,
    ...schema,
    required: (required as string[]).filter((name) => name !== body),
  });
}

function schemaFor(form: z.ZodType): JsonSchema {
  return z.toJSONSchema(form, {
    target: "draft-7",
    io: "input",
    override: ({ jsonSchema }) => tolerate(jsonSchema as JsonSchema),
  }) as JsonSchema;
}

/** What the file alone does not decide is let pass. */
function tolerate(schema: JsonSchema): void {
  const { valuesFrom, suggested, sourceOnly, ...rest } = schema;
  // More values can be allowed by a setting: offer the known ones, accept what looks like one.
  if (valuesFrom !== undefined)
    replace(schema, rest, [{ enum: schema.enum }, { type: "string", pattern: "^[A-Z][A-Z0-9_]*$" }]);
  if (suggested !== undefined) replace(schema, rest, [{ enum: suggested }, { type: "string" }]);
  if (sourceOnly !== undefined) {
    delete schema.sourceOnly;
    schema.pattern = namesSource;
    schema.patternErrorMessage =
      "This must come from a source: write !env NAME, !file path or !exec [command, argument]. A secret never stands in the files.";
  }
  // A mapping of which everything is commented out is empty, as is one with nothing behind its key.
  if (schema.propertyNames !== undefined) schema.type = ["object", "null"];
}

function replace(schema: JsonSchema, { enum: _, type: _type, ...rest }: JsonSchema, anyOf: unknown): void {
  for (const key of Object.keys(schema)) delete schema[key];
  Object.assign(schema, rest, { anyOf });
}

/**
 * What may stand behind `!env` or `!file`, which an editor does not tell from a text written out: a variable's name, a
 * path, or lower-case words; nothing with a long run of letters and digits mixed, as keys have.
 */
const namesSource = [
  "^(?!(?:.*[^A-Za-z0-9])?(?=[A-Za-z0-9]*[0-9])(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{16})",
  String.raw`(?:[A-Za-z_][A-Za-z0-9_]*|[^\n]*[./][^\n]*|[a-z]+(?:-[a-z]+)*)$`,
].join("");

/** Where a setting adds to the values of a field, they are the known ones unless a setting of the same file adds some. */
function onlyKnownValues(): JsonSchema {
  const collections = kinds.flatMap(({ collection, fields }) => {
    const strict = Object.entries(fields).flatMap(([name, field]) => {
      if (field.type !== "string" || !field.values || !field.valuesFrom) return [];
      const errorMessage = `Write ${field.values.join(" or ")}, or add it to service.${field.valuesFrom.name}.`;
      return [[name, { enum: field.values, errorMessage }] as const];
    });
    const additionalProperties = { properties: Object.fromEntries(strict) };
    return strict.length > 0 ? [[collection, { additionalProperties }] as const] : [];
  });
  const strict = { properties: Object.fromEntries(collections) };
  const adds = {
    required: ["service"],
    properties: { service: { type: "object", required: valueSettings.map(({ name }) => name) } },
  };
  const oneAdds = { type: "object", not: { additionalProperties: { not: adds } } };
  return {
    if: { not: { anyOf: [adds, { required: ["environments"], properties: { environments: oneAdds } }] } },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: {
      properties: { ...strict.properties, environments: { additionalProperties: strict } },
    },
  };
}

function withoutRequired(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutRequired);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => key !== "required" || !Array.isArray(value));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutRequired(value)]));
}

/** With each description once more as the Markdown it is written in: editors show that where they can. */
function explained<Schema>(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(explained) as Schema;
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).flatMap(([key, value]) => [
    [key, explained(value)],
    ...(key === "description" && typeof value === "string" ? [["markdownDescription", value]] : []),
  ]);
  return Object.fromEntries(entries) as Schema;
}
