import type { Account } from "./account.js";
import type { Behaviour } from "./behaviour.js";
import { invalid } from "./refusal.js";
import { readAs, type Shape } from "./shape.js";

/** An operation of the service: a method, a path in which `:id` stands for any id, and a handler. */
export interface Endpoint {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  /** Returns the `data` of the envelope, or throws a Refusal before it changes anything. */
  answer(call: Call): unknown;
}

/** An authenticated request. */
export interface Call {
  account: Account;
  /** The text in place of `:id`. */
  id: string;
  query: URLSearchParams;
  body: unknown;
  /** Scheme, host and path in the client's spelling, for links to other pages. */
  url: string;
  behaviour: Behaviour;
  nowMs: number;
  newId: () => string;
}

/** The fields of the JSON body. Throws a Refusal that names each invalid one. */
export function bodyOf<T>(call: Call, shape: Shape<T>): T {
  return valid(readAs(shape, call.body, ["body"]));
}

/** The fields of the query. Throws a Refusal that names each invalid one. */
export function queryOf<T>(call: Call, shape: Shape<T>): T {
  return valid(readAs(shape, Object.fromEntries(call.query), ["query"]));
}

/** The id in the path, where the document requires a UUID. Throws a Refusal. */
export function pathIdOf(call: Call, name: string, shape: Shape<string>): string {
  return valid(readAs(shape, call.id, ["path", name]));
}

/** The time of the call, in the format of the data. */
export function timeOf(call: Call): string {
  return new Date(call.nowMs).toISOString();
}

/** A time of the data with as many digits as this deployment shows. */
export function shownTime(time: string, { timestampPrecision }: Behaviour): string {
  if (timestampPrecision === "ms") return time;
  return timestampPrecision === "s" ? `${time.slice(0, 19)}Z` : `${time.slice(0, 23)}000Z`;
}

/** An optional value: some deployments show null for empty values. */
export function shownOptional<T extends string | readonly unknown[]>(
  value: T,
  { nulls }: Behaviour,
): T | null {
  return nulls && value.length === 0 ? null : value;
}

/** Undocumented fields, for deployments that send some. */
export function shownExtra(
  fields: Record<string, unknown>,
  { extraFields }: Behaviour,
): Record<string, unknown> {
  return extraFields ? fields : {};
}

function valid<T>(read: ReturnType<typeof readAs<T>>): T {
  if ("value" in read) return read.value;
  throw invalid(read.problems);
}
