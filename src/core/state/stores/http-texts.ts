import * as z from "zod";
import { type DeepReadonly, parseJson } from "../../../base/text/index.js";
import { type Holder, holderForm } from "../lock-holder.js";
import { StateError } from "../state-error.js";
import type { StoreNames } from "../store-backend.js";

/**
 * Schema of the JSON document that contains a state and its history, for servers of Terraform's http backend. GitLab
 * and Gitea require a `serial` that increases with every write, and Gitea also requires a `lineage`. There is no
 * `version`, because Terraform identifies its own states by it.
 */
const form = z.strictObject({
  /** Version of this format. */
  avatarops: z.literal(1),
  serial: z.int().positive(),
  lineage: z.string(),
  /** Write id. After a lost response, shows whether the write arrived. */
  write: z.string(),
  /** Lock owner. Stored here, because the protocol cannot show the lock. */
  holder: z.exactOptional(holderForm),
  state: z.exactOptional(z.string()),
  journal: z.exactOptional(z.string()),
  /** Newest records, oldest first. */
  history: z.array(z.string()),
  /** Number of documents with older records (see http.ts). */
  archives: z.exactOptional(z.int().positive()),
});

export type HttpDocument = DeepReadonly<z.infer<typeof form>>;

/** Parses the document. @throws StateError if the text has another form. */
export function parseDocument(text: string, { state: location, restore }: StoreNames): HttpDocument {
  const checked = form.safeParse(parseJson(text));
  if (checked.success) return checked.data;
  throw new StateError(
    "corrupt",
    location,
    `The document at ${location} is not an avatarops state: it was truncated, or written by another program such as Terraform. Restore the last good version (${restore}), or give avatarops its own URL.`,
  );
}

/** Lock on the server. */
export interface HttpLock {
  readonly id: string;
  readonly holder: Holder;
}

/** Builds the lock request body in Terraform's form. GitLab requires every field. */
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
 * Encodes the lock owner in the lock ID (at most 255 characters), so that other runs can check its process. GitLab
 * returns only the ID and time of an existing lock.
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

/** Placeholder for a boot id that could not be read. An empty part means that the system has no boot ids. */
const unreadable = "-";

const shape = z.object({
  ID: z.string().min(1),
  Who: z.string().default(""),
  Operation: z.string().default(""),
  Created: z.string().default(""),
});

/** Parses the lock in a response, ours or Terraform's. Returns undefined if the text contains none. */
export function parseLock(text: string): HttpLock | undefined {
  const info = shape.safeParse(parseJson(text)).data;
  if (!info) return undefined;
  const { ID: id, Created: since } = info;
  const [own = "", pid = "", bootId, startedAt, pidNamespace, machineId, host = "", command = ""] = id
    .split("~")
    .map(decode);
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

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
