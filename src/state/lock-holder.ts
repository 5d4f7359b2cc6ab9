import * as z from "zod";
import { plainLine } from "../text/index.js";

/** The holder of a lock. */
export interface Holder {
  /** UUID of this hold. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  readonly bootId?: string;
  /**
   * When the process started, in a form of the system: distinguishes it from a later one with the same id.
   */
  readonly startedAt?: string;
  /** ISO 8601: when the lock was taken. */
  readonly since: string;
  /** E.g. `avatarops apply`. */
  readonly command: string;
}

/** A holder, for messages. A lock may come from anywhere. */
export function describeHolder({ command, pid, host, since }: Holder): string {
  return `\`${plainLine(command)}\` (process ${pid} on ${plainLine(host)}, since ${plainLine(since)})`;
}

/** The holder in the text of a lock; undefined if it is not one. */
export function parseHolder(text: string): Holder | undefined {
  try {
    return holderShape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** What a holder looks like as JSON. */
export const holderShape: z.ZodType<Holder> = z.object({
  id: z.string().regex(/^[\w-]+$/),
  pid: z.int().positive(),
  host: z.string(),
  bootId: z.exactOptional(z.string()),
  startedAt: z.exactOptional(z.string()),
  since: z.string(),
  command: z.string(),
} satisfies Record<keyof Holder, z.ZodType>);
