import type * as z from "zod";
import type { Account, SessionToken } from "./account.js";
import type { Behaviour } from "./behaviour.js";
import type { Profile } from "./profile.js";
import { invalid } from "./refusal.js";
import { readAs } from "./shape.js";

/** An operation of the service: a method, a path in which `:id` stands for any id, and a handler. */
export interface Endpoint {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  /** Who may call it: who has the key (default) or the token of a session, or anybody. */
  callers?: "key or session" | "session" | "anybody";
  /** Whether its body may be missing. */
  bodyOptional?: boolean;
  /** The status of success; default 200. */
  status?: number;
  /** Returns the `data` of the envelope, or throws a Refusal before it changes anything. */
  handle(call: Call): unknown;
}

/** A request of somebody who may make it. */
export interface Call {
  /** That of the key; an empty one for an endpoint that anybody may call. */
  account: Account;
  /** What the token was given for, if it was called with one. */
  session: SessionToken | undefined;
  /** The text in place of `:id`. */
  id: string;
  query: URLSearchParams;
  /** JSON, without the fields that are null: for the service they are missing. */
  body: unknown;
  /** Scheme, host and path in the client's spelling, for links to other pages. */
  url: string;
  behaviour: Behaviour;
  profile: Profile | undefined;
  nowMs: number;
  newId: () => string;
}

/** The fields of the JSON body, without unknown ones. Throws a Refusal that names each invalid one. */
export function readBody<T>(call: Call, schema: z.ZodType<T>): T {
  return valid(readAs(schema, call.body, ["body"]));
}

/** The fields of the query. Throws a Refusal that names each invalid one. */
export function readQuery<T>(call: Call, schema: z.ZodType<T>): T {
  return valid(readAs(schema, Object.fromEntries(call.query), ["query"]));
}

/** The id in the path, where the document requires a UUID. Throws a Refusal. */
export function readId(call: Call, name: string, schema: z.ZodType<string>): string {
  return valid(readAs(schema, call.id, ["path", name]));
}

/** The time of the call, in the format of the data. */
export function timestamp(call: Call): string {
  return new Date(call.nowMs).toISOString();
}

/** A time of the data with as many digits as this deployment shows. */
export function showTime(time: string, { timestampPrecision }: Behaviour): string {
  if (timestampPrecision === "ms") return time;
  return timestampPrecision === "s" ? `${time.slice(0, 19)}Z` : `${time.slice(0, 23)}000Z`;
}

/** A row with times as this deployment shows them; of the optional fields, it may show empty ones as null. */
export function showRow<Row extends { created_at: string; updated_at?: string }>(
  row: Row,
  { behaviour }: Call,
  ...optional: readonly (keyof Row)[]
): Row {
  const times = (["created_at", "updated_at"] as const).flatMap((name) => {
    const time = row[name];
    return time === undefined ? [] : [[name, showTime(time, behaviour)]];
  });
  const empty = optional.filter((name) => behaviour.nulls && Object(row[name]).length === 0);
  return { ...row, ...Object.fromEntries([...times, ...empty.map((name) => [name, null])]) };
}

/** Undocumented fields, for deployments that send some. */
export function showExtra(
  fields: Record<string, unknown>,
  { extraFields }: Behaviour,
): Record<string, unknown> {
  return extraFields ? fields : {};
}

/** Fields that the document does not have, and deployments of a profile do. */
export function showOffered(fields: Record<string, unknown>, { profile }: Call): Record<string, unknown> {
  return profile === undefined ? {} : fields;
}

function valid<T>(read: ReturnType<typeof readAs<T>>): T {
  if ("value" in read) return read.value;
  throw invalid(read.problems);
}
