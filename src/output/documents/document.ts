import type * as z from "zod";
import type { DeepReadonly } from "../../base/text/index.js";

/**
 * First keys of every document. The version changes only when keys change or are removed. Readers must ignore unknown
 * keys, because any release may add keys.
 */
export interface Head<Format extends string> {
  readonly format: `avatarops/${Format}`;
  readonly version: 1;
}

/** Type of a document, derived from its form. The form's descriptions of the keys also appear in the JSON Schema. */
export type Parsed<Form extends z.ZodType> = DeepReadonly<z.infer<Form>>;

export function createHead<Format extends string>(format: Format): Head<Format> {
  return { format: `avatarops/${format}`, version: 1 };
}
