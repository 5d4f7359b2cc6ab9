import type { Emulator } from "./emulator.js";
import type { LoggedRequest } from "./request-log.js";

/** Something that goes wrong, for the requests it matches. */
export interface Fault {
  /** All that is given must match; nothing given matches every request to the service. */
  match?: FaultMatch;
  /** So many matching requests are let through first; default 0. */
  skip?: number;
  /** So many requests are then hit; default 1, Infinity for all. */
  times?: number;
  do: FaultAction;
}

export interface FaultMatch {
  method?: string;
  /**
   * A path such as `/v1/contexts`; `*` stands for one segment, as in `/v1/contexts/*`. With a query, such as
   * `/v1/contexts?page=2`, each parameter named must be there too. An expression is tested on path and query.
   */
  path?: string | RegExp;
  /** Text that stands in the body as sent. */
  body?: string | RegExp;
}

/**
 * "before" is before the request is processed: nothing has changed then. "after" is after it: the change was
 * made, and only the answer is in trouble. `delay` and `run` let the request go on, to its next fault if there
 * is one; every other action settles it.
 */
export type FaultAction =
  /** Answers with this status instead; the body is JSON, or raw text if it is a string. */
  | {
      kind: "status";
      status: number;
      body?: unknown;
      headers?: Record<string, string>;
      after?: boolean;
    }
  /** Closes the connection without an answer. */
  | { kind: "drop"; when: "before" | "after" }
  /** Promises the whole answer, sends so many bytes of it (default: half) and closes the connection. */
  | { kind: "cut"; bytes?: number }
  /** Processes the request and answers 200 with this text in place of the answer. */
  | { kind: "malformed"; body: string }
  /** Waits, in real time; default before the request is processed. */
  | { kind: "delay"; ms: number; when?: "before" | "after" }
  /** Never answers; default before the request is processed. */
  | { kind: "hang"; when?: "before" | "after" }
  /** Does something when the request arrives: a colleague edits meanwhile, a list changes while it is read. */
  | { kind: "run"; run: (emulator: Emulator, request: LoggedRequest) => void | Promise<void> };

/** What decides whether a fault matches. */
interface FaultTarget {
  method: string;
  path: string;
  query: URLSearchParams;
  text: string;
}

/** The faults still to come, in the order they were asked for. */
export interface FaultQueue {
  add(fault: Fault): void;
  clear(): void;
  /** The faults with what is left of them. */
  waiting(): Fault[];
  /** What shall happen to this request, counting it: each `delay` and `run`, and at most one other, last. */
  take(target: FaultTarget): FaultAction[];
}

export function openFaultQueue(): FaultQueue {
  let waiting: Required<Fault>[] = [];
  return {
    add(fault) {
      waiting.push({ match: {}, skip: 0, times: 1, ...fault });
    },
    clear() {
      waiting = [];
    },
    waiting: () => waiting.map((fault) => ({ ...fault })),
    take(target) {
      const taken: FaultAction[] = [];
      for (const fault of waiting) {
        if (!matches(fault.match, target)) continue;
        if (fault.skip > 0) {
          fault.skip -= 1;
          continue;
        }
        fault.times -= 1;
        taken.push(fault.do);
        if (fault.do.kind !== "delay" && fault.do.kind !== "run") break;
      }
      waiting = waiting.filter(({ times }) => times > 0);
      return taken;
    },
  };
}

function matches({ method, path, body }: FaultMatch, target: FaultTarget): boolean {
  if (method !== undefined && method.toUpperCase() !== target.method) return false;
  if (path !== undefined && !pathMatches(path, target)) return false;
  if (body === undefined) return true;
  return typeof body === "string" ? target.text.includes(body) : found(body, target.text);
}

function pathMatches(wanted: string | RegExp, { path, query }: FaultTarget): boolean {
  if (typeof wanted !== "string") return found(wanted, query.size > 0 ? `${path}?${query}` : path);
  const [wantedPath = "", wantedQuery = ""] = wanted.split("?", 2);
  const segments = path.split("/");
  const wantedSegments = wantedPath.split("/");
  return (
    segments.length === wantedSegments.length &&
    wantedSegments.every((segment, i) => segment === "*" || segment === segments[i]) &&
    [...new URLSearchParams(wantedQuery)].every(([name, value]) => query.get(name) === value)
  );
}

/** A global expression would remember where it stood in the last text. */
function found(expression: RegExp, text: string): boolean {
  expression.lastIndex = 0;
  return expression.test(text);
}
