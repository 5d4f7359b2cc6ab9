import * as z from "zod";
import { type Holder, holderShape } from "../lock-holder.js";
import { CorruptError } from "../state-error.js";
import type { StoreNames } from "../state-store.js";

/**
 * All that there is of a state, as one JSON document: servers of Terraform's http backend keep one. GitLab and Gitea
 * want a `serial` that grows with every write, and refuse a second document of the same serial; Gitea wants a
 * `lineage` too. There is no `version`, so that Terraform does not take it for a state of its own.
 */
export interface HttpDocument {
  /** Version of this format. */
  readonly avatarops: 1;
  readonly serial: number;
  readonly lineage: string;
  /** Names the write that made it: tells whether a write whose answer was lost has arrived. */
  readonly write: string;
  /** Who writes the journal: the protocol has no request that shows the lock. */
  readonly holder?: Holder;
  readonly state?: string;
  readonly journal?: string;
  /** The records, oldest first. */
  readonly history: readonly string[];
}

const shape: z.ZodType<HttpDocument> = z.strictObject({
  avatarops: z.literal(1),
  serial: z.int().positive(),
  lineage: z.string(),
  write: z.string(),
  holder: z.exactOptional(holderShape),
  state: z.exactOptional(z.string()),
  journal: z.exactOptional(z.string()),
  history: z.array(z.string()),
} satisfies Record<keyof HttpDocument, z.ZodType>);

/** @throws CorruptError for a text that is no such document. */
export function parseDocument(text: string, { state: location, restore }: StoreNames): HttpDocument {
  const value = parse(text);
  const checked = shape.safeParse(value);
  if (checked.success) return checked.data;
  const isTerraforms = typeof value === "object" && value !== null && "terraform_version" in value;
  const advice = isTerraforms
    ? "It is a state of Terraform: give avatarops an address of its own."
    : `It was cut, or somebody else wrote it: restore the last good version (${restore}).`;
  throw new CorruptError(location, `The text at ${location} is not a state of avatarops. ${advice}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
