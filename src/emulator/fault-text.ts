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
import { type Fault, type FaultAction, textAction } from "./emulator.js";
import { EmulatorInputError } from "./input-error.js";
import { integer, parseShape, strictObject, text } from "./shape.js";

/** Parses a fault from one line. Throws EmulatorInputError. */
export function parseFault(line: string): Fault {
  const [words = "", ...bodies] = line.split(" body=");
  const [method, path, action, ...settings] = words.trim().split(/\s+/);
  if (method === undefined || path === undefined || action === undefined)
    throw createFaultError(line, "is incomplete");
  const { name, kind } = parseAction(line, action);
  const given = Object.fromEntries(settings.map(parseSetting));
  const body = bodies.length > 0 ? { body: bodies.join(" body=") } : {};
  const known = ["times", "skip", ...(settingsByAction.get(name) ?? [])];
  const unknown = Object.keys({ ...given, ...body }).find((setting) => !known.includes(setting));
  if (unknown !== undefined)
    throw createFaultError(
      line,
      `has the setting "${unknown}", but ${action} accepts only ${known.map((one) => `${one}=`).join(", ")}`,
    );
  const { skip, times, "retry-after": retryAfter, ...actionSettings } = given;
  const read = parseShape(faultSchema, {
    match: { ...toCondition("method", method), ...toCondition("path", path) },
    ...(skip !== undefined && { skip }),
    ...(times !== undefined && { times }),
    do: {
      ...kind,
      ...actionSettings,
      ...(retryAfter !== undefined && { headers: { "retry-after": String(retryAfter) } }),
      ...body,
    },
  });
  if ("value" in read) return read.value;
  const problems = read.problems.map(({ at, message }) => `${String(at.at(-1))} ${message}`);
  throw createFaultError(line, `cannot be used: ${problems.join("; ")}`);
}

/** Settings that each action accepts, in addition to `times` and `skip`. */
const settingsByAction: ReadonlyMap<string, readonly string[]> = new Map([
  ["503", ["retry-after", "body"]],
  ["503-after", ["retry-after", "body"]],
  ["drop-before", []],
  ["drop-after", []],
  ["cut", ["bytes"]],
  ["malformed", ["body"]],
  ["delay", ["ms"]],
  ["hang", []],
  ["hang-after", []],
]);

function createFaultError(line: string, problem: string): EmulatorInputError {
  const actions = [...settingsByAction.keys()]
    .join(", ")
    .replace("503-after", "503-after (or another status)");
  return new EmulatorInputError(
    "fault",
    `"${line}" ${problem}. Write METHOD PATH ACTION, such as "POST /v1/contexts drop-after times=2". Actions: ${actions}.`,
  );
}

/** Formats a fault's action for the log, in the syntax of fault lines. */
export function formatAction(action: FaultAction): string {
  if (action.kind === "status") return action.after ? `${action.status}-after` : `${action.status}`;
  if (action.kind === "drop") return `drop-${action.when}`;
  return action.kind === "hang" && action.when === "after" ? "hang-after" : action.kind;
}

const faultSchema = strictObject({
  match: strictObject({
    method: text().regex(/^[A-Za-z]+$/, "must be GET, POST, PATCH or *"),
    // Rejects a star within a segment, because it would never match.
    path: text().regex(
      /^(\/(\*|[^/*?]*))+(\?.*)?$/,
      'must be a path such as /v1/contexts/*, where "*" stands for a whole segment',
    ),
  }).exactPartial(),
  skip: integer(0).exactOptional(),
  times: z
    .preprocess((value) => (value === "always" ? Number.MAX_SAFE_INTEGER : value), integer(1))
    .exactOptional(),
  do: textAction,
});

function parseSetting(word: string): [name: string, value: unknown] {
  const [name = "", value = ""] = word.split(/=(.*)/s);
  return [name, /^\d+$/.test(value) ? Number(value) : value];
}

/** Returns the action's key in `settingsByAction`, and the corresponding fields of the fault. */
function parseAction(line: string, word: string): { readonly name: string; readonly kind: object } {
  const [, status, after] = /^(\d{3})(-after)?$/.exec(word) ?? [];
  if (status !== undefined)
    return {
      name: `503${after ?? ""}`,
      kind: { kind: "status", status: Number(status), ...(after && { after: true }) },
    };
  if (!settingsByAction.has(word)) throw createFaultError(line, `has the unknown action "${word}"`);
  const [kind, when] = word.split("-");
  return { name: word, kind: { kind, ...(when !== undefined && { when }) } };
}

function toCondition(name: string, word: string): Record<string, string> {
  return word === "*" ? {} : { [name]: word };
}
