import * as z from "zod";
import { type DeepReadonly, parseJson } from "../../../base/text/index.js";
import { type Holder, holderForm } from "../lock-holder.js";
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
  const checked = form.safeParse(parseJson(text));
  if (checked.success) return checked.data;
  throw new StateError(
    "corrupt",
    location,
    `The text at ${location} is not a state of avatarops: it was cut, or somebody else wrote it, as Terraform does. Restore the last good version (${restore}), or give avatarops an address of its own.`,
  );
}

/** A lock as the server knows it. */
export interface HttpLock {
  readonly id: string;
  readonly holder: Holder;
}

/** What is sent to lock: the form of Terraform, of which GitLab requires every field. */
export function toLockInfo(holder: Holder, location: string): object {
  return {
    ID: toLockId(holder),
    Operation: holder.command,
    Info: "",
    Who: `process ${holder.pid} on ${holder.host}`,
    Version: "avatarops",
    Created: holder.since,
    Path: location,
  };
}

/**
 * The ID of a holder's lock, with all that is needed to tell whether the holder is alive: of a lock in the way, GitLab
 * gives its ID and time only (the other fields are those of the request). It takes at most 255 characters.
 */
export function toLockId({
  id,
  pid,
  host,
  bootId,
  startedAt,
  pidNamespace,
  machineId,
  command,
}: Holder): string {
  return [id, String(pid), bootId === "" ? unreadable : bootId, startedAt, pidNamespace, machineId]
    .concat(host.slice(0, 64), command)
    .map((part = "") => encodeURIComponent(part))
    .join("~")
    .slice(0, 255)
    .replace(/%[0-9A-F]?$/, "");
}

/** Stands for a boot id that cannot be read: an empty part is that of a system without boot ids. */
const unreadable = "-";

const shape = z.object({
  ID: z.string().min(1),
  Who: z.string().default(""),
  Operation: z.string().default(""),
  Created: z.string().default(""),
});

/** The lock in a response, ours or one of Terraform; undefined if there is none. */
export function parseLock(text: string): HttpLock | undefined {
  const info = shape.safeParse(parseJson(text)).data;
  if (!info) return undefined;
  const { ID: id, Created: since } = info;
  const [own = "", pid = "", bootId, startedAt, pidNamespace, machineId, host = "", command = ""] = id
    .split("~")
    .map(decoded);
  if (!/^\d+$/.test(pid)) {
    return { id, holder: { id, pid: 0, host: info.Who, since, command: info.Operation } };
  }
  const facts = {
    ...(bootId && { bootId: bootId === unreadable ? "" : bootId }),
    ...(startedAt && { startedAt }),
    ...(pidNamespace && { pidNamespace }),
    ...(machineId && { machineId }),
  };
  return { id, holder: { id: own, pid: Number(pid), host, ...facts, since, command } };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
