import * as z from "zod";
import { type DeepReadonly, parseJson, plainLine } from "../../base/text/index.js";

/** How long a lock is trusted after the store confirmed it, in ms: a run sends nothing with an older one. */
export const maxLockAgeMs = 5_000;

export const holderForm = z.object({
  /** UUID of this hold. */
  id: z.string().regex(/^[\w-]+$/),
  pid: z.int().positive(),
  host: z.string(),
  bootId: z.exactOptional(z.string()),
  pidNamespace: z.exactOptional(z.string()),
  machineId: z.exactOptional(z.string()),
  /** When the process started, in a form of the system: distinguishes it from a later one with the same id. */
  startedAt: z.exactOptional(z.string()),
  /** How long a request of it may take, in ms. */
  requestTimeoutMs: z.exactOptional(z.int().positive()),
  /** ISO 8601: when the lock was taken. */
  since: z.string(),
  /** E.g. `avatarops apply`. */
  command: z.string(),
});

export type Holder = DeepReadonly<z.infer<typeof holderForm>>;

/** A holder, for messages. A lock may come from anywhere. */
export function describeHolder({ command, pid, host, since }: Holder): string {
  return `\`${plainLine(command)}\` (process ${pid} on ${plainLine(host)}, since ${plainLine(since)})`;
}

/** The last text and its holder: a run reads the same lock before each of its steps. */
let last: { readonly text: string; readonly holder: Holder | undefined } | undefined;

/** The holder in the text of a lock; undefined if it is not one. */
export function parseHolder(text: string): Holder | undefined {
  if (last?.text !== text) last = { text, holder: holderForm.safeParse(parseJson(text)).data };
  return last.holder;
}
