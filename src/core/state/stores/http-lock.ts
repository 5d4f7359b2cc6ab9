import * as z from "zod";
import { parseJson } from "../../../base/text/index.js";
import type { Holder } from "../lock-holder.js";

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
export function toLockId({ id, pid, host, bootId = "", startedAt = "", command }: Holder): string {
  return [id, String(pid), bootId, startedAt, host.slice(0, 64), command]
    .map(encodeURIComponent)
    .join("~")
    .slice(0, 255)
    .replace(/%[0-9A-F]?$/, "");
}

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
  const [own = "", pid = "", bootId = "", startedAt = "", host = "", command = ""] = id
    .split("~")
    .map(decoded);
  if (!/^\d+$/.test(pid)) {
    return { id, holder: { id, pid: 0, host: info.Who, since, command: info.Operation } };
  }
  const facts = { ...(bootId ? { bootId } : {}), ...(startedAt ? { startedAt } : {}) };
  return { id, holder: { id: own, pid: Number(pid), host, ...facts, since, command } };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
