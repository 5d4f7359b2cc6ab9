/**
 * Settings for behavior that the API document leaves open, or that differs between deployments. By default, everything
 * follows the document. Example settings: `links=merge`, `nulls=true`, `promptCutAt=65535`, `promptCutAt=off`,
 * `secretTypes=OPENAI_API_KEY,GEMINI_API_KEY`.
 */
import * as z from "zod";
import { EmulatorInputError } from "./input-error.js";
import { integer, joinProblems, parseShape, strictObject, text } from "./shape.js";

const settings = strictObject({
  /** `code` in successful responses: 100 in the document (§7), 1000 in some deployments. */
  successCode: integer(0).default(100),
  /** Whether PATCH removes or keeps the links missing from its list (unspecified in §4.3). */
  links: z.enum(["replace", "merge"]).default("replace"),
  /** Whether two contexts may have the same name. */
  contextNames: z.enum(["unique", "free"]).default("unique"),
  /** Whether empty optional fields are null in responses, instead of "" and []. */
  nulls: z.boolean().default(false),
  /** Whether responses have undocumented fields and enumeration values. */
  extraFields: z.boolean().default(false),
  /** Length at which prompts are silently truncated, or null for no limit. */
  promptCutAt: integer(1).nullable().default(null),
  /** Whether PATCH of a context requires name, prompt and opening_text. */
  requireAllOnPatch: z.boolean().default(false),
  /**
   * Error body format: `{code,data:null,message}`, or `{code,data:[{loc,message}],message}` for an invalid request with
   * status 422.
   */
  errorBodies: z.enum(["envelope", "envelope-422"]).default("envelope"),
  /** Maximum number of requests to an endpoint per fixed one-second window, or null for no limit. */
  rateLimitPerSecond: integer(1).nullable().default(null),
  /** Size of a token bucket refilled at `rateLimitPerSecond`, or null to use windows. */
  rateLimitBurst: integer(1).nullable().default(null),
  /** Whether 429 responses have a Retry-After header, in whole seconds. */
  retryAfter: z.boolean().default(true),
  /**
   * List order: oldest first, newest first, last updated first, a fixed random order, a new order for each request, or
   * newest day first. "tied" reorders the rows of a day for each page, like a database whose sort key is not unique.
   */
  listOrder: z.enum(["created", "newest", "updated", "shuffled", "reshuffled", "tied"]).default("created"),
  /** Whether a list's count is correct, absent, or off by one. */
  listCount: z.enum(["exact", "absent", "too-large", "too-small"]).default("exact"),
  /** Format of a page's `next` and `previous`. */
  nextStyle: z.enum(["url", "marker", "null", "absent"]).default("url"),
  /** Precision of timestamps in responses: seconds, milliseconds or microseconds. */
  timestampPrecision: z.enum(["s", "ms", "us"]).default("ms"),
  /** Whether avatars show the current name of a voice or its previous name (unspecified in §2.3). */
  voiceNames: z.enum(["current", "outdated"]).default("current"),
  /**
   * Whether sandbox sessions in mode FULL require a persona with a voice and a language. §4.5 shows them, but does not
   * call them required.
   */
  sandboxPersona: z.enum(["required", "optional"]).default("required"),
  /** Credits available for sessions started in the emulator, or null to not count credits. */
  credits: integer(0).nullable().default(null),
  /** Accepted values of `secret_type` (§4.4). */
  secretTypes: z.array(text({ min: 1 })).default(["LLMPROVIDER_API_KEY", "VOICEPROVIDER_API_KEY"]),
});

export type Behavior = z.infer<typeof settings>;

/** Documented behavior, with timestamps in milliseconds and unique context names. */
export const defaultBehavior: Behavior = settings.parse({});

/** Parses a setting, written as `name=value`. Throws EmulatorInputError. */
export function parseBehavior(line: string): Partial<Behavior> {
  const at = line.indexOf("=");
  const [name, written] = [line.slice(0, at), line.slice(at + 1)];
  if (at === -1 || !/^\w+$/.test(name)) {
    throw new EmulatorInputError(
      "behavior",
      `"${line}" is not a setting. Write name=value, such as links=merge`,
    );
  }
  const read = parseShape(settings, {
    [name]: name === "secretTypes" ? written.split(",") : parseValue(written),
  });
  if ("problems" in read) throw new EmulatorInputError("behavior", joinProblems(read.problems));
  // Returns only the parsed setting, because the schema also fills in the defaults of all others.
  return { [name]: read.value[name as keyof Behavior] };
}

function parseValue(written: string): unknown {
  if (written === "true" || written === "false") return written === "true";
  if (written === "off") return null;
  return /^\d+$/.test(written) ? Number(written) : written;
}
