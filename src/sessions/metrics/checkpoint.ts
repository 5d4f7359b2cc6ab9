import * as z from "zod";
import { UsageError } from "../../base/diagnostics/index.js";
import { parseJson } from "../../base/text/index.js";
import type { FollowerCheckpoint } from "../reports/index.js";
import { type SessionCounts, sessionCounts } from "./counts.js";

/** What a process leaves to the next one: what was reported, and what was counted of it. Both in one text, replaced at once. */
export interface MetricsCheckpoint {
  /** Base URL. */
  readonly service: string;
  readonly follower: FollowerCheckpoint;
  readonly counts: SessionCounts;
}

const format = "avatarops/sessions-checkpoint";
const version = 1;

export function checkpointText(checkpoint: MetricsCheckpoint): string {
  return `${JSON.stringify({ format, version, ...checkpoint })}\n`;
}

/** Reads the text of a checkpoint for the service at this base URL. Throws UsageError. */
export function readCheckpoint(text: string, file: string, service: string): MetricsCheckpoint {
  const anew = "move the file away; all counts then begin at 0.";
  const refused = (code: string, message: string) => new UsageError(code, `${file} ${message}`, { file });
  const written = parseJson(text);
  const head = headShape.safeParse(written);
  if (head.success && head.data.version > version)
    throw refused("newer-version", `was written by a later version of avatarops: install that, or ${anew}`);
  const read = shape.safeParse(written);
  if (!read.success)
    throw refused(
      "corrupt",
      `is not a complete checkpoint of \`avatarops sessions serve\`: restore it from a backup, or ${anew}`,
    );
  if (read.data.service !== service)
    throw refused(
      "other-service",
      `has counts of ${JSON.stringify(read.data.service)}, and this is ${service}: name another file with --checkpoint.`,
    );
  return read.data;
}

const headShape = z.object({ format: z.literal(format), version: z.int() });
const time = z.number();

const shape: z.ZodType<MetricsCheckpoint> = headShape.extend({
  service: z.string(),
  follower: z.object({
    watermark: time,
    followed: z.array(
      z.object({
        id: z.string(),
        created: time,
        missing: z.exactOptional(z.object({ since: time, polls: z.int().nonnegative() })),
      }),
    ),
    ended: z.array(z.tuple([z.string(), time, time])),
  }),
  counts: sessionCounts,
});
