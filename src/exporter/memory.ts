import * as z from "zod";
import type { FollowerMemory } from "../sessions/index.js";
import { bucketSeconds, type SessionCounts } from "./counts.js";

/** What a process leaves to the next one: what was told, and what was counted of it. Both in one text, replaced at once. */
export interface ExporterMemory {
  /** Base URL. */
  readonly service: string;
  readonly follower: FollowerMemory;
  readonly counts: SessionCounts;
}

/** Why a memory cannot be used. */
type MemoryProblem = "corrupt" | "newer-version" | "other-service";

/** The memory of an earlier process cannot be continued; it is left as it is. */
class MemoryError extends Error {
  override readonly name = "MemoryError";
  readonly code: MemoryProblem;
  readonly file: string;

  constructor(code: MemoryProblem, file: string, message: string) {
    super(message);
    this.code = code;
    this.file = file;
  }
}

const format = "avatarops/sessions-memory";
const version = 1;

/** The memory as text. */
export function memoryText(memory: ExporterMemory): string {
  return `${JSON.stringify({ format, version, ...memory })}\n`;
}

/** Reads the text of a memory for the service at this base URL. Throws MemoryError. */
export function readMemory(text: string, file: string, service: string): ExporterMemory {
  const anew = "move the file away; all counts then begin at 0.";
  const written = parsed(text);
  const head = headShape.safeParse(written);
  if (head.success && head.data.version > version)
    throw new MemoryError(
      "newer-version",
      file,
      `${file} was written by a later version of avatarops: install that, or ${anew}`,
    );
  const read = shape.safeParse(written);
  if (!read.success)
    throw new MemoryError(
      "corrupt",
      file,
      `${file} is not a complete memory of \`avatarops sessions serve\`: restore it from a backup, or ${anew}`,
    );
  if (read.data.service !== service)
    throw new MemoryError(
      "other-service",
      file,
      `${file} has counts of ${JSON.stringify(read.data.service)}, and this is ${service}: name another file with --memory.`,
    );
  return read.data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const time = z.number();
const amount = z.number().nonnegative();
const whole = z.int().nonnegative();
const labels = { mode: z.string(), source: z.string(), sandbox: z.enum(["true", "false"]) };
const values = z.array(z.string());

const headShape = z.object({ format: z.literal(format), version: z.int() });

const shape: z.ZodType<ExporterMemory> = headShape.extend({
  service: z.string(),
  follower: z.object({
    watermark: time,
    followed: z.array(
      z.object({
        id: z.string(),
        created: time,
        missing: z.exactOptional(z.object({ since: time, polls: whole })),
      }),
    ),
    ended: z.array(z.tuple([z.string(), time, time])),
  }),
  counts: z.object({
    labels: z.object({ mode: values, source: values, reason: values }),
    ended: z.array(z.object({ ...labels, reason: z.string(), sessions: whole })),
    credits: z.array(z.object({ ...labels, sum: amount })),
    durations: z.array(
      z.object({
        mode: labels.mode,
        sandbox: labels.sandbox,
        buckets: z.array(whole).length(bucketSeconds.length + 1),
        sum: amount,
      }),
    ),
    without: z.object({ credits: whole, duration: whole }),
    lost: whole,
  }),
});
