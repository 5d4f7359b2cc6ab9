import { Cron } from "croner";
import * as z from "zod";
import { waitMs, waitPattern } from "./wait.js";

/* `windows:`, with the words and the meaning of Argo CD's sync windows. */

/** When apply may change the account (`allow`), or may not (`deny`). */
export interface Window {
  readonly kind: "allow" | "deny";
  /** Of cron, with five parts. */
  readonly schedule: string;
  readonly durationMs: number;
  /** Default: UTC. */
  readonly timezone?: string | undefined;
  /** A person's `apply` and `rollback` are not kept from anything. */
  readonly manualSync?: boolean | undefined;
  readonly description?: string | undefined;
}

/** A text that a function understands. */
function written(
  expected: string,
  isRight: (text: string) => boolean,
  description: string,
  pattern?: RegExp,
) {
  const form = z.any().superRefine((value, context) => {
    if (value !== undefined && typeof value === "string" && isRight(value)) return;
    context.issues.push({ code: "invalid_type", expected, input: value } as never);
  });
  return form.meta({ type: "string", ...(pattern && { pattern: pattern.source }), description });
}

export const windowForm = z.strictObject({
  kind: z
    .enum(["allow", "deny"])
    .describe("Whether apply may change the account in this window, or must not."),
  schedule: written(
    "cron",
    (text) => succeeds(() => new Cron(text, { paused: true, mode: "5-part" })),
    "When it opens, as in cron: minute, hour, day of month, month, day of week, such as `0 8 * * 1-4`.",
  ),
  duration: written(
    "duration",
    (text) => (waitMs(text) ?? 0) > 0,
    "How long it stays open: `30m`, `8h`.",
    waitPattern,
  ),
  timezone: written(
    "time zone",
    (text) => succeeds(() => new Intl.DateTimeFormat("en", { timeZone: text })),
    "The time zone of the schedule, such as `Europe/Berlin`. Default: UTC.",
  ).optional(),
  manual_sync: z
    .boolean()
    .optional()
    .describe(
      "Whether `apply` and `rollback` are free of this window, and only `sync` keeps to it. Default: false.",
    ),
  description: z.string().optional().describe("What it is for, for plans and messages."),
});

/** What passed the form. */
export function readWindow({ manual_sync, duration, ...given }: z.infer<typeof windowForm>): Window {
  return { ...given, durationMs: waitMs(duration) ?? 0, manualSync: manual_sync };
}

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
