import type * as z from "zod";
import type { DeepReadonly } from "../../base/text/index.js";

/**
 * The head of every document: its type and version. The version increases when a key changes its meaning or
 * is removed; new keys may come at any time, so readers must ignore unknown keys.
 */
export interface Head<Format extends string> {
  readonly format: `avatarops/${Format}`;
  readonly version: 1;
}

/** What a form describes. Each key is described in it, and so in the JSON Schema of the document. */
export type Parsed<Form extends z.ZodType> = DeepReadonly<z.infer<Form>>;

export function head<Format extends string>(format: Format): Head<Format> {
  return { format: `avatarops/${format}`, version: 1 };
}
