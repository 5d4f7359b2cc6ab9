/**
 * Faults as one line of text, for the command line, and as JSON, for the control endpoint.
 *
 *     fault   = method path action { setting }
 *     method  = "*" | "GET" | "POST" | "PATCH" | any other
 *     path    = "*" | "/v1/contexts" | "/v1/contexts/*" | "/v1/contexts?page=2"
 *     action  = status | status "-after"         503 unprocessed; 503-after: processed, then answered so
 *             | "drop-before" | "drop-after"     the connection closes without an answer
 *             | "cut"                            half the answer, or bytes=N of it
 *             | "malformed"                      200 with body="…" in place of the answer
 *             | "delay" | "delay-after"          ms=N
 *             | "hang" | "hang-after"            no answer at all
 *     setting = "times=" (N | "always")          how many requests are hit, default 1
 *             | "skip=" N                        how many are let through first
 *             | "contains=" text                 only requests with this in their body
 *             | "body=" text                     of a status or malformed answer
 *             | "retry-after=" text              header of a status answer
 *             | "bytes=" N | "ms=" N
 *     text    = a word, or anything in double quotes, where \" and \\ stand for " and \
 *
 * For example: `POST /v1/contexts drop-after times=2` and `* * 503 retry-after=1 contains="Support desk"`.
 */
import type { Fault, FaultAction } from "./emulator.js";
import { EmulatorInputError } from "./input-error.js";
import {
  dictionary,
  flag,
  integer,
  oneOf,
  readAs,
  type Shape,
  sentenceOf,
  strictRecord,
  text,
  variant,
} from "./shape.js";

/** Parses a fault in one line. Throws EmulatorInputError. */
export function parseFault(line: string): Fault {
  const [method, path, action, ...settings] = wordsOf(line);
  if (method === undefined || path === undefined || action === undefined) {
    throw inputError(
      `"${line}" is incomplete; write METHOD PATH ACTION, such as POST /v1/contexts drop-after`,
    );
  }
  if (!/^(\*|[A-Za-z]+)$/.test(method))
    throw inputError(`"${method}" is not a method; write GET, POST, PATCH or *`);
  const given = settingsOf(settings);
  const match = { ...anyBut("method", method), ...anyBut("path", path), ...moved(given, "contains", "body") };
  const repeats = { ...moved(given, "skip"), ...moved(given, "times") };
  const fault = readFault({ match, ...repeats, do: actionOf(action, given) });
  const [left] = given.keys();
  if (left !== undefined) throw inputError(`"${left}=" has no meaning for ${action}`);
  return fault;
}

/**
 * Reads a fault from JSON: the fields of Fault, without regular expressions and `run`. Throws
 * EmulatorInputError.
 */
export function readFault(value: unknown): Fault {
  const read = readAs(faultShape, value);
  if ("problems" in read) throw inputError(sentenceOf(read.problems));
  const { times, ...fault } = read.value;
  if (times === undefined) return fault;
  return { ...fault, times: times === "always" ? Number.POSITIVE_INFINITY : times };
}

/** The fault's action in the notation of the line, as shown in the log. */
export function actionWord(action: FaultAction): string {
  if (action.kind === "status") return action.after ? `${action.status}-after` : `${action.status}`;
  if (action.kind === "drop") return `drop-${action.when}`;
  const isAfter = (action.kind === "delay" || action.kind === "hang") && action.when === "after";
  return isAfter ? `${action.kind}-after` : action.kind;
}

const when = oneOf("before", "after");
const times: Shape<number | "always"> = (value, at, found) =>
  value === "always" ? value : integer(1)(value, at, found);
const status: Shape<number> = integer(200, 599);
const anything: Shape<unknown> = (value) => value;

/** A star within a segment would match nothing, and the fault would never happen. */
const path: Shape<string> = (value, at, found) => {
  const isPath = typeof value === "string" && /^(\/(\*|[^/*?]*))+(\?.*)?$/.test(value);
  if (isPath) return value;
  found({ at, message: 'must be a path such as /v1/contexts/*, where "*" stands for a whole segment' });
  return undefined;
};

const faultShape = strictRecord(
  {
    match: strictRecord({ method: text({ min: 1 }), path, body: text({ min: 1 }) }),
    skip: integer(0),
    times,
    do: variant("kind", {
      status: strictRecord(
        { kind: oneOf("status"), status, body: anything, headers: dictionary(text()), after: flag },
        "kind",
        "status",
      ),
      drop: strictRecord({ kind: oneOf("drop"), when }, "kind", "when"),
      cut: strictRecord({ kind: oneOf("cut"), bytes: integer(0) }, "kind"),
      malformed: strictRecord({ kind: oneOf("malformed"), body: text() }, "kind", "body"),
      delay: strictRecord({ kind: oneOf("delay"), ms: integer(0), when }, "kind", "ms"),
      hang: strictRecord({ kind: oneOf("hang"), when }, "kind"),
    }),
  },
  "do",
);

/** `POST "a \"b\" c" x=1` has three words; a word may contain a quoted part, as in `body="a b"`. */
function wordsOf(line: string): string[] {
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
const textual = new Set(["contains", "body", "retry-after"]);

function settingsOf(words: readonly string[]): Map<string, unknown> {
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

function actionOf(word: string, given: Map<string, unknown>): unknown {
  const [, name = "", ending] = /^(\w+?)(?:-(before|after))?$/.exec(word) ?? [];
  const when = ending === undefined ? {} : { when: ending };
  switch (name) {
    case "drop":
      if (ending === undefined) throw inputError("drop needs a moment; write drop-before or drop-after");
      return { kind: name, ...when };
    case "hang":
      return { kind: name, ...when };
    case "delay":
      return { kind: name, ...when, ...moved(given, "ms") };
    case "cut":
      if (ending === undefined) return { kind: name, ...moved(given, "bytes") };
      break;
    case "malformed":
      if (ending === undefined) return { kind: name, ...moved(given, "body") };
      break;
    default:
      if (!/^\d{3}$/.test(name)) break;
      return {
        kind: "status",
        status: Number(name),
        ...(ending === "after" ? { after: true } : {}),
        ...moved(given, "body"),
        ...headers(given),
      };
  }
  throw inputError(
    `"${word}" is not an action; use a status such as 503 or 503-after, drop-before, drop-after, cut, malformed, delay, delay-after, hang or hang-after`,
  );
}

function headers(given: Map<string, unknown>): { headers?: Record<string, unknown> } {
  const header = moved(given, "retry-after");
  return "retry-after" in header ? { headers: header } : {};
}

/** Removes a setting, so that the remaining ones are known to be unused. */
function moved(given: Map<string, unknown>, name: string, as = name): Record<string, unknown> {
  if (!given.has(name)) return {};
  const value = given.get(name);
  given.delete(name);
  return { [as]: value };
}

function anyBut(name: string, word: string): Record<string, string> {
  return word === "*" ? {} : { [name]: word };
}

function inputError(message: string): EmulatorInputError {
  return new EmulatorInputError("fault", message);
}
