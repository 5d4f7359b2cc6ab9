import * as z from "zod";
import type { Behavior } from "./behavior.js";
import type { Dashboard } from "./dashboard.js";
import type { LoggedRequest } from "./request-log.js";
import { integer, strictObject, text } from "./shape.js";

/** A running emulator, with its account's dashboard. */
export interface Emulator extends Dashboard {
  readonly url: string;
  readonly port: number;
  /** All requests to the service so far, oldest first, without secrets. A live list that may be emptied at any time. */
  readonly requests: LoggedRequest[];
  readonly behavior: Readonly<Behavior>;
  /** Adds a fault, given as an object or as a line for parseFault. */
  addFault(fault: Fault | string): void;
  clearFaults(): void;
  /** Moves the emulator's clock forward. Does not shorten real waits. */
  passTime(ms: number): void;
  setBehavior(patch: Partial<Behavior>): void;
  /** Closes all connections, including hanging connections. */
  close(): Promise<void>;
}

/** A fault for the requests it matches. */
export interface Fault {
  /** Conditions that must all match. Without conditions, every request to the service matches. */
  match?: FaultMatch;
  /** Number of matching requests to let through first (default 0). */
  skip?: number;
  /** Number of requests affected after that (default 1, Infinity for all). */
  times?: number;
  do: FaultAction;
}

export interface FaultMatch {
  method?: string;
  /**
   * A path such as `/v1/contexts`, where `*` matches one segment. With a query, such as `/v1/contexts?page=2`, the
   * request must have all of its parameters.
   */
  path?: string;
  /** Substring of the request body. */
  body?: string;
}

/** Actions that can be written as a line of text. */
export const textAction = z.discriminatedUnion("kind", [
  /** Responds with this status instead. Sends a string body as raw text, and any other body as JSON. */
  strictObject({
    kind: z.literal("status"),
    status: integer(200, 599),
    body: z.unknown().exactOptional(),
    headers: z.record(z.string(), text()).exactOptional(),
    after: z.boolean().exactOptional(),
  }),
  /** Closes the connection without a response. */
  strictObject({ kind: z.literal("drop"), when: z.enum(["before", "after"]) }),
  /** Sends the full Content-Length, but only this many bytes of the body (default: half), and closes the connection. */
  strictObject({ kind: z.literal("cut"), bytes: integer(0).exactOptional() }),
  /** Processes the request and responds 200 with this text instead. */
  strictObject({ kind: z.literal("malformed"), body: text() }),
  /** Waits, in real time, before the request is processed. */
  strictObject({ kind: z.literal("delay"), ms: integer(0) }),
  /** Never responds. By default, the request is not processed. */
  strictObject({ kind: z.literal("hang"), when: z.enum(["before", "after"]).exactOptional() }),
]);

/**
 * Action of a fault. "before" and "after" refer to the processing of the request. After `delay` or `run`, the next
 * matching fault also applies. Any other action ends the request.
 */
export type FaultAction =
  | z.infer<typeof textAction>
  /**
   * Runs a function when the request arrives, such as an edit by a colleague during a read.
   */
  | { kind: "run"; run: (emulator: Emulator, request: LoggedRequest) => void | Promise<void> };
