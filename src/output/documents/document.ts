import type * as z from "zod";
import type { DeepReadonly } from "../../base/text/index.js";

/**
 * First keys of every document. The version increases when a key changes its meaning or is removed; new keys may be added
 * at any time, so readers must ignore unknown keys.
 */
export interface Head<Format extends string> {
  readonly format: `avatarops/${Format}`;
  readonly version: 1;
}

/** Type of a document, derived from its form. The form describes each key, also for the JSON Schema. */
export type Parsed<Form extends z.ZodType> = DeepReadonly<z.infer<Form>>;

export function createHead<Format extends string>(format: Format): Head<Format> {
  return { format: `avatarops/${format}`, version: 1 };
}
