import * as z from "zod";

/*
 * The form of a document says once more, with descriptions and as a value, what its interface says: its JSON Schema is
 * derived from it. The compiler holds the two to each other: see `SameAs`.
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

/** The form of a document. The compiler refuses one that has other keys or other values than the document. */
export function formOf<Document>() {
  return <Form extends z.ZodType>(form: Form & SameAs<Document, z.infer<Form>>): Form => form;
}

type SameAs<A, B> = Equal<Plain<A>, Plain<B>> extends true ? unknown : "differs from the document";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Without `readonly`, with intersections as one type, and with optional keys that are never `undefined`. */
type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Plain<Exclude<T[Key], undefined>> }
    : T;
