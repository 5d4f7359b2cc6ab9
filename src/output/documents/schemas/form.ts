import * as z from "zod";

/* A document's form describes each key. The type and the JSON Schema are derived from it. */

/** Creates a document's form, with format and version before its own keys. */
export function createDocumentForm<Format extends string, Keys extends z.core.$ZodLooseShape>(
  format: Format,
  title: string,
  description: string,
  keys: Keys,
) {
  const head = {
    format: z.literal(`avatarops/${format}`).describe("Document type."),
    version: z.literal(1).describe("Version of the document type."),
  };
  return z.object({ ...head, ...keys }).meta({ title, description });
}

/** Creates the form of an object that becomes a named definition in the JSON Schema. */
export function record<Keys extends z.core.$ZodLooseShape>(id: string, description: string, keys: Keys) {
  return z.object(keys).meta({ id, description });
}

export function object<Keys extends z.core.$ZodLooseShape>(description: string, keys: Keys) {
  return z.object(keys).describe(description);
}

export function array<Of extends z.ZodType>(of: Of, description: string) {
  return z.array(of).describe(description);
}

export function text(description: string) {
  return z.string().describe(description);
}

/** Creates the form of an enum that later releases may extend, from values or values with descriptions. */
export function openSet<const Value extends string>(
  values: readonly Value[] | Readonly<Record<Value, string>>,
): z.ZodEnum<{ readonly [Key in Value]: Key }> {
  const isList = Array.isArray(values);
  return z.enum((isList ? values : Object.keys(values)) as Value[]).meta({ openSet: isList || values });
}

export const count = z.int().min(0);

export const ordinal = z.int().min(1);
