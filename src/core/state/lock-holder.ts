import * as z from "zod";
import { type DeepReadonly, parseJson, toPlainLine } from "../../base/text/index.js";

/** Maximum age of the store's last confirmation of a lock. A run sends nothing with an older one. */
export const maxLockAgeMs = 5_000;

export const holderForm = z.object({
  /** UUID of this hold. */
  id: z.string().regex(/^[\w-]+$/),
  pid: z.int().positive(),
  host: z.string(),
  bootId: z.exactOptional(z.string()),
  pidNamespace: z.exactOptional(z.string()),
  machineId: z.exactOptional(z.string()),
  /** Start of the process in the system's format; distinguishes it from a later process with the same id. */
  startedAt: z.exactOptional(z.string()),
  /** Time limit of its requests. */
  requestTimeoutMs: z.exactOptional(z.int().positive()),
  /** Time when the lock was taken, ISO 8601. */
  since: z.string(),
  /** E.g. `avatarops apply`. */
  command: z.string(),
});

export type Holder = DeepReadonly<z.infer<typeof holderForm>>;

/** Describes a holder in messages. Its fields are untrusted. */
export function describeHolder({ command, pid, host, since }: Holder): string {
  return `\`${toPlainLine(command)}\` (process ${pid} on ${toPlainLine(host)}, since ${toPlainLine(since)})`;
}

/** The last text and its holder, cached because a run reads the same lock before each step. */
let last: { readonly text: string; readonly holder: Holder | undefined } | undefined;

/** Parses the holder in the text of a lock; undefined if it is invalid. */
export function parseHolder(text: string): Holder | undefined {
  if (last?.text !== text) last = { text, holder: holderForm.safeParse(parseJson(text)).data };
  return last.holder;
}
