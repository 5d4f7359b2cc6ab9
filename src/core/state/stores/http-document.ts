import * as z from "zod";
import { type DeepReadonly, parseJson } from "../../../base/text/index.js";
import { holderForm } from "../lock-holder.js";
import { StateError } from "../state-error.js";
import type { StoreNames } from "../store-backend.js";

/**
 * All that there is of a state, as one JSON document: servers of Terraform's http backend keep one. GitLab and Gitea
 * want a `serial` that grows with every write, and refuse a second document of the same serial; Gitea wants a
 * `lineage` too. There is no `version`, so that Terraform does not take it for a state of its own.
 */
const form = z.strictObject({
  /** Version of this format. */
  avatarops: z.literal(1),
  serial: z.int().positive(),
  lineage: z.string(),
  /** The id of the write that made it: shows whether a write has arrived whose response was lost. */
  write: z.string(),
  /** Who writes the journal: the protocol has no request that shows the lock. */
  holder: z.exactOptional(holderForm),
  state: z.exactOptional(z.string()),
  journal: z.exactOptional(z.string()),
  /** The newest records, oldest first. */
  history: z.array(z.string()),
  /** How many documents beside this one have older records: see http.ts. */
  archives: z.exactOptional(z.int().positive()),
});

export type HttpDocument = DeepReadonly<z.infer<typeof form>>;

/** @throws StateError for a text that is no such document. */
export function parseDocument(text: string, { state: location, restore }: StoreNames): HttpDocument {
  const value = parseJson(text);
  const checked = form.safeParse(value);
  if (checked.success) return checked.data;
  const isTerraforms = typeof value === "object" && value !== null && "terraform_version" in value;
  const advice = isTerraforms
    ? "It is a state of Terraform: give avatarops an address of its own."
    : `It was cut, or somebody else wrote it: restore the last good version (${restore}).`;
  throw new StateError("corrupt", location, `The text at ${location} is not a state of avatarops. ${advice}`);
}
