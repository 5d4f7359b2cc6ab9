/**
 * Faults as one line of text.
 *
 *     fault   = method path action { setting }
 *     method  = "*" | "GET" | "POST" | "PATCH" | any other
 *     path    = "*" | "/v1/contexts" | "/v1/contexts/*" | "/v1/contexts?page=2"
 *     action  = status | status "-after"         503 unprocessed; 503-after: processed, then this status
 *             | "drop-before" | "drop-after"     the connection closes without a response
 *             | "cut"                            half the response, or bytes=N of it
 *             | "malformed"                      200 with body="…" in place of the response
 *             | "delay"                          ms=N
 *             | "hang" | "hang-after"            no response at all
 *     setting = "times=" (N | "always")          how many requests are hit, default 1
 *             | "skip=" N                        how many are let through first
 *             | "body=" text                     of a status or malformed response
 *             | "retry-after=" text              header of a status response
 *             | "bytes=" N | "ms=" N
 *     text    = a word, or anything in double quotes, where \" and \\ stand for " and \
 *
 * For example: `POST /v1/contexts drop-after times=2` and `* * 503 retry-after=1 body="Slow down"`.
 */
import * as z from "zod";
import { type Fault, type FaultAction, writtenAction } from "./emulator.js";
import { EmulatorInputError } from "./input-error.js";
import { integer, joinProblems, readAs, strictObject, text } from "./shape.js";

/** Parses a fault in one line. Throws EmulatorInputError. */
export function parseFault(line: string): Fault {
  const [method, path, action, ...settings] = splitWords(line);
  if (method === undefined || path === undefined || action === undefined) {
    throw inputError(
      `"${line}" is incomplete; write METHOD PATH ACTION, such as POST /v1/contexts drop-after`,
    );
  }
  if (!/^(\*|[A-Za-z]+)$/.test(method))
    throw inputError(`"${method}" is not a method; write GET, POST, PATCH or *`);
  const given = parseSettings(settings);
  const match = { ...anyBut("method", method), ...anyBut("path", path) };
  const repeats = { ...moved(given, "skip"), ...moved(given, "times") };
  const read = readAs(faultSchema, { match, ...repeats, do: parseAction(action, given) });
  if ("problems" in read) throw inputError(joinProblems(read.problems));
  const [left] = given.keys();
  if (left !== undefined) throw inputError(`"${left}=" has no meaning for ${action}`);
  const { times, ...fault } = read.value;
  return { ...fault, ...(times !== undefined && { times: times ?? Number.POSITIVE_INFINITY }) };
}

/** The fault's action in the notation of the line, as shown in the log. */
export function actionWord(action: FaultAction): string {
  if (action.kind === "status") return action.after ? `${action.status}-after` : `${action.status}`;
  if (action.kind === "drop") return `drop-${action.when}`;
  return action.kind === "hang" && action.when === "after" ? "hang-after" : action.kind;
}

/** A star within a segment would match nothing, and the fault would never happen. */
const path = text().regex(
  /^(\/(\*|[^/*?]*))+(\?.*)?$/,
  'must be a path such as /v1/contexts/*, where "*" stands for a whole segment',
);

const faultSchema = strictObject({
  match: strictObject({ method: text(), path }).exactPartial(),
  skip: integer(0).exactOptional(),
  times: z.preprocess((value) => (value === "always" ? null : value), integer(1).nullable()).optional(),
  do: writtenAction,
});

/** `POST "a \"b\" c" x=1` has three words; a word may contain a quoted part, as in `body="a b"`. */
function splitWords(line: string): string[] {
  // An unclosed quote extends to the end: searching for the end from each quote again would take too long.
  const words: string[] = line.trim().match(/(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|[^\s"])+/gs) ?? [];
  return words.map((word) =>
    word.replace(/"((?:[^"\\]|\\.)*)("|\\?$)/gs, (_, inner: string, end: string) => {
      if (end !== '"') throw inputError(`${line}: a double quote is not closed`);
      return inner.replace(/\\(.)/gs, "$1");
    }),
  );
}

const numeric = new Set(["skip", "times", "bytes", "ms"]);
const textual = new Set(["body", "retry-after"]);

function parseSettings(words: readonly string[]): Map<string, unknown> {
  const given = new Map<string, unknown>();
  for (const word of words) {
    const [, name = "", value = ""] = /^([a-z-]+)=(.*)$/s.exec(word) ?? [];
    if (!numeric.has(name) && !textual.has(name)) {
      const known = [...numeric, ...textual].map((known) => `${known}=`).join(", ");
      throw inputError(`"${word}" is not a setting; use one of ${known}`);
    }
    if (given.has(name)) throw inputError(`"${name}=" is given twice`);
    given.set(name, numeric.has(name) && /^\d+$/.test(value) ? Number(value) : value);
  }
  return given;
}

function parseAction(word: string, given: Map<string, unknown>): unknown {
  const [, name = "", ending] = /^(\w+?)(?:-(before|after))?$/.exec(word) ?? [];
  const when = ending === undefined ? {} : { when: ending };
  if (word === "drop") throw inputError("drop needs a moment; write drop-before or drop-after");
  if (name === "drop" || name === "hang") return { kind: name, ...when };
  if (word === "delay") return { kind: word, ...moved(given, "ms") };
  if (word === "cut") return { kind: word, ...moved(given, "bytes") };
  if (word === "malformed") return { kind: word, ...moved(given, "body") };
  const header = moved(given, "retry-after");
  if (/^\d{3}$/.test(name))
    return {
      kind: "status",
      status: Number(name),
      ...(ending === "after" ? { after: true } : {}),
      ...moved(given, "body"),
      ...("retry-after" in header ? { headers: header } : {}),
    };
  throw inputError(
    `"${word}" is not an action; use a status such as 503 or 503-after, drop-before, drop-after, cut, malformed, delay, hang or hang-after`,
  );
}

/** Removes a setting, so that the remaining ones are known to be unused. */
function moved(given: Map<string, unknown>, name: string): Record<string, unknown> {
  if (!given.has(name)) return {};
  const value = given.get(name);
  given.delete(name);
  return { [name]: value };
}

function anyBut(name: string, word: string): Record<string, string> {
  return word === "*" ? {} : { [name]: word };
}

function inputError(message: string): EmulatorInputError {
  return new EmulatorInputError("fault", message);
}
