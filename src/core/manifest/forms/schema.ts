import * as z from "zod";
import { kinds } from "../../kinds/index.js";
import { manifestForm, templateForm } from "./form.js";

type JsonSchema = { [key: string]: unknown };

/**
 * Builds the manifest's JSON Schema for editors. Uses draft 7, which YAML language servers support best. JSON Schema
 * does not support tags, so editors validate the text after `!env` or `!file` as a string, and the list after `!exec`
 * as an array.
 */
export function createManifestSchema(): JsonSchema {
  const { $schema, properties, ...schema } = createSchema(manifestForm);
  const fields = properties as JsonSchema;
  return {
    $schema,
    title: "avatarops manifest",
    description: `Interactive avatars as code: ${kinds.map(({ collection }) => collection).join(", ")} and session presets.`,
    ...schema,
    // An environment may change one field of an object, so required fields are checked after the merge.
    properties: { ...fields, environments: removeRequired(fields.environments) },
    patternProperties: { "^x-": { description: "Custom keys, for YAML anchors." } },
  };
}

function createSchema(form: z.ZodType): JsonSchema {
  return z.toJSONSchema(form, {
    target: "draft-7",
    io: "input",
    override: ({ jsonSchema }) => tolerate(jsonSchema as JsonSchema),
  }) as JsonSchema;
}

/** Makes a schema accept all values that an editor cannot check from the file alone. */
function tolerate(schema: JsonSchema): void {
  const { valuesFrom, suggested, literalOrSource, prose, ...rest } = schema;
  // Editors see `!stock_avatar NAME` as the string NAME, so a string must be a valid id only if it looks like one.
  if (schema.format === "id") {
    delete schema.format;
    schema.pattern = `^(${z.regexes.guid.source.slice(1, -1)}|(?!(?=.*\\d)[\\da-fA-F-]+$).+)$`;
  }
  // The project's settings can allow more values, so the schema suggests the documented values and accepts others of
  // the same form.
  if (valuesFrom !== undefined)
    replace(schema, rest, [{ enum: schema.enum }, { type: "string", pattern: "^[A-Z][A-Z0-9_]*$" }]);
  if (suggested !== undefined) replace(schema, rest, [{ enum: suggested }, { type: "string" }]);
  // Editors see `!file { path: …, variables: … }` as a mapping.
  if (prose) {
    const { $schema: _, ...mapping } = createSchema(templateForm);
    replace(schema, rest, [{ type: "string" }, mapping]);
  }
  delete schema.literalOrSource;
  if (literalOrSource === "source-only") {
    schema.pattern = namesSource;
    schema.patternErrorMessage =
      "Use a source: !env NAME, !file path or !exec [command, argument]. Secrets must not be literals in the files.";
  }
  // A mapping whose entries are all commented out is null.
  if (schema.propertyNames !== undefined) schema.type = ["object", "null"];
}

function replace(schema: JsonSchema, { enum: _, type: _type, ...rest }: JsonSchema, anyOf: unknown): void {
  for (const key of Object.keys(schema)) delete schema[key];
  Object.assign(schema, rest, { anyOf });
}

/**
 * Pattern for the strings after `!env` or `!file`, which look like literals to an editor. Matches names and paths, but
 * not long runs of mixed letters and digits, as in keys.
 */
const namesSource = [
  "^(?!(?:.*[^A-Za-z0-9])?(?=[A-Za-z0-9]*[0-9])(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{16})",
  String.raw`(?:[A-Za-z_][A-Za-z0-9_]*|[^\n]*[./][^\n]*|[a-z]+(?:-[a-z]+)*)$`,
].join("");

function removeRequired(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(removeRequired);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => key !== "required" || !Array.isArray(value));
  return Object.fromEntries(kept.map(([key, value]) => [key, removeRequired(value)]));
}
