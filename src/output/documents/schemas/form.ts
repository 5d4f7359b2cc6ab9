import * as z from "zod";

/*
 * The form of a document describes each of its keys. Its type and its JSON Schema are derived from it.
 */

/** The two first keys of each document. */
export function headForm<Format extends string>(format: Format) {
  return {
    format: z.literal(`avatarops/${format}`).describe("Type of the document."),
    version: z.literal(1).describe("Version of the type."),
  };
}

/** A text that has one of these values today, with their meanings if given; later versions may have more. */
export function openSet<const Value extends string>(
  values: readonly Value[] | Readonly<Record<Value, string>>,
): z.ZodEnum<{ readonly [Key in Value]: Key }> {
  return isList(values)
    ? z.enum(values).meta({ openSet: true })
    : z.enum(Object.keys(values) as Value[]).meta({ openSet: values });
}

function isList<Value extends string>(values: readonly Value[] | object): values is readonly Value[] {
  return Array.isArray(values);
}

export const count = z.int().min(0);

/** A 1-based number. */
export const ordinal = z.int().min(1);
