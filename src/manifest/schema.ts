import * as z from "zod";
import { manifestForm } from "./form.js";

type JsonSchema = { [key: string]: unknown };

/**
 * JSON Schema of the manifest for editors, draft 7, which YAML language servers know best; made from the same tables as
 * the loader's checks. Tags are unknown to JSON Schema: an editor passes the text behind `!env` or `!file` as a string and
 * the list behind `!exec` as an array.
 */
export function manifestSchema(): JsonSchema {
  const schema = z.toJSONSchema(manifestForm, {
    target: "draft-7",
    io: "input",
    override: ({ jsonSchema }) => tolerate(jsonSchema as JsonSchema),
  }) as JsonSchema;
  const properties = schema.properties as JsonSchema;
  // An environment may change one field of an object; what must be there is known only when it is laid over the rest.
  properties.environments = withoutRequired(properties.environments);
  return {
    $schema: schema.$schema,
    title: "avatarops manifest",
    description: "Interactive avatars as code: avatars, voices, contexts, secrets and session presets.",
    examples: [
      { include: ["contexts/*.md"], avatars: { host: { id: "7d1f0c1e-3c52-4b7e-9a61-0d0f5b1c8e21" } } },
    ],
    ...schema,
    patternProperties: { "^x-": { description: "Your own, for anchors." } },
  };
}

/** What the file alone does not decide is let pass. */
function tolerate(schema: JsonSchema): void {
  if (schema.valuesFrom !== undefined) {
    // More values can be allowed by a setting: offer the known ones, accept what looks like one.
    schema.anyOf = [{ enum: schema.enum }, { type: "string", pattern: "^[A-Z][A-Z0-9_]*$" }];
    delete schema.valuesFrom;
    delete schema.enum;
    delete schema.type;
  }
  // A mapping of which everything is commented out is empty, as is one with nothing behind its key.
  if (schema.propertyNames !== undefined) schema.type = ["object", "null"];
}

function withoutRequired(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutRequired);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => key !== "required" || !Array.isArray(value));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutRequired(value)]));
}
