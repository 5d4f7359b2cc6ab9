/**
 * Faults as one line of text.
 *
 *     fault   = method path action { setting } [ "body=" rest of the line ]
 *     method  = "*" | "GET" | "POST" | "PATCH" | any other
 *     path    = "*" | "/v1/contexts" | "/v1/contexts/*" | "/v1/contexts?page=2"
 *     action  = status | status "-after"         503 unprocessed; 503-after: processed, then this status
 *             | "drop-before" | "drop-after"     the connection closes without a response
 *             | "cut"                            half the response, or bytes=N of it
 *             | "malformed"                      200 with body=… instead of the response
 *             | "delay"                          ms=N
 *             | "hang" | "hang-after"            no response at all
 *     setting = "times=" (N | "always")          number of requests that are hit, default 1
 *             | "skip=" N                        number of requests that pass first
 *             | "retry-after=" word              header of a status response
 *             | "bytes=" N | "ms=" N
 *
 * For example: `POST /v1/contexts drop-after times=2` and `* * 503 retry-after=1 body=Slow down`.
 */
import * as z from "zod";
import { type Fault, type FaultAction, writtenAction } from "./emulator.js";
import { EmulatorInputError } from "./input-error.js";
import { integer, joinProblems, readAs, strictObject, text } from "./shape.js";

/** Parses a fault from one line. Throws EmulatorInputError. */
export function parseFault(line: string): Fault {
  const [words = "", ...bodies] = line.split(" body=");
  const [method, path, action, ...settings] = words.trim().split(/\s+/);
  if (method === undefined || path === undefined || action === undefined) {
    throw new EmulatorInputError(
      "fault",
      `"${line}" is incomplete. Write METHOD PATH ACTION, such as POST /v1/contexts drop-after`,
    );
  }
  const {
    skip,
    times,
    "retry-after": retryAfter,
    ...actionSettings
  } = Object.fromEntries(settings.map(parseSetting));
  const read = readAs(faultSchema, {
    match: { ...toCondition("method", method), ...toCondition("path", path) },
    ...(skip !== undefined && { skip }),
    ...(times !== undefined && { times }),
    do: {
      ...parseAction(action),
      ...actionSettings,
      ...(retryAfter !== undefined && { headers: { "retry-after": String(retryAfter) } }),
      ...(bodies.length > 0 && { body: bodies.join(" body=") }),
    },
  });
  if ("problems" in read) throw new EmulatorInputError("fault", joinProblems(read.problems));
  return read.value;
}

/** Formats a fault's action for the log, in the notation of the line. */
export function formatAction(action: FaultAction): string {
  if (action.kind === "status") return action.after ? `${action.status}-after` : `${action.status}`;
  if (action.kind === "drop") return `drop-${action.when}`;
  return action.kind === "hang" && action.when === "after" ? "hang-after" : action.kind;
}

const faultSchema = strictObject({
  match: strictObject({
    method: text().regex(/^[A-Za-z]+$/, "must be GET, POST, PATCH or *"),
    // Rejects a star within a segment, which would never match.
    path: text().regex(
      /^(\/(\*|[^/*?]*))+(\?.*)?$/,
      'must be a path such as /v1/contexts/*, where "*" stands for a whole segment',
    ),
  }).exactPartial(),
  skip: integer(0).exactOptional(),
  times: z
    .preprocess((value) => (value === "always" ? Number.MAX_SAFE_INTEGER : value), integer(1))
    .exactOptional(),
  do: writtenAction,
});

function parseSetting(word: string): [name: string, value: unknown] {
  const [name = "", value = ""] = word.split(/=(.*)/s);
  return [name, /^\d+$/.test(value) ? Number(value) : value];
}

function parseAction(word: string): object {
  const [, name = word, when] = /^(\w+?)(?:-(before|after))?$/.exec(word) ?? [];
  if (/^\d{3}$/.test(name))
    return { kind: "status", status: Number(name), ...(when === "after" && { after: true }) };
  return { kind: name, ...(when !== undefined && { when }) };
}

function toCondition(name: string, word: string): Record<string, string> {
  return word === "*" ? {} : { [name]: word };
}
