import type { Behaviour } from "./behaviour.js";
import type { Dashboard } from "./dashboard.js";
import type { LoggedRequest } from "./request-log.js";

/** A running emulator; what it inherits of Dashboard acts on the first account. */
export interface Emulator extends Dashboard {
  readonly url: string;
  readonly port: number;
  /** All requests to the service so far, oldest first, without secrets. A live view; empty it at will. */
  readonly requests: LoggedRequest[];
  readonly behaviour: Readonly<Behaviour>;
  /** Also takes a line as understood by parseFault. */
  addFault(fault: Fault | string): void;
  clearFaults(): void;
  setBehaviour(patch: Partial<Behaviour>): void;
  /** Another account, by name. */
  account(name: string): Dashboard;
  /** Closes all connections, also those that hang, and writes the data file. */
  close(): Promise<void>;
}

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
