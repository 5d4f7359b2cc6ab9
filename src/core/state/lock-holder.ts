import * as z from "zod";
import { type DeepReadonly, parseJson, toPlainLine } from "../../base/text/index.js";

/** Maximum age of the last confirmation of the lock. After that, a run sends nothing. */
export const maxLockAgeMs = 5_000;

export const holderForm = z.object({
  /** Lock UUID. */
  id: z.string().regex(/^[\w-]+$/),
  pid: z.int().positive(),
  host: z.string(),
  bootId: z.exactOptional(z.string()),
  pidNamespace: z.exactOptional(z.string()),
  machineId: z.exactOptional(z.string()),
  /** Process start in the system's format, to distinguish a later process with the same id. */
  startedAt: z.exactOptional(z.string()),
  /** Whether the server frees the lock when the run's connection ends (see `SessionLocks`). */
  session: z.exactOptional(z.literal(true)),
  /** Time limit for the run's requests. */
  requestTimeoutMs: z.exactOptional(z.int().positive()),
  /** Time when the lock was taken (ISO 8601). */
  since: z.string(),
  /** Command, such as `avatarops apply`. */
  command: z.string(),
});

export type Holder = DeepReadonly<z.infer<typeof holderForm>>;

/** Describes the lock owner in messages. The fields are untrusted. */
export function describeHolder({ command, pid, host, since }: Holder): string {
  return `\`${toPlainLine(command)}\` (process ${pid} on ${toPlainLine(host)}, since ${toPlainLine(since)})`;
}

/** Last lock text and its owner, cached because a run reads the same lock before each step. */
let last: { readonly text: string; readonly holder: Holder | undefined } | undefined;

/** Parses the owner in a lock's text. Returns undefined if the text is invalid. */
export function parseHolder(text: string): Holder | undefined {
  if (last?.text !== text) last = { text, holder: holderForm.safeParse(parseJson(text)).data };
  return last.holder;
}
