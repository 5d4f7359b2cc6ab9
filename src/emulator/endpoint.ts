import type * as z from "zod";
import type { Account, SessionToken } from "./account.js";
import type { Behavior } from "./behavior.js";
import type { Profile } from "./profile.js";
import { createInvalid } from "./refusal.js";
import { parseShape } from "./shape.js";

/** A service endpoint. In `path`, `:id` matches any id. */
export interface Endpoint {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  /** Credentials that the endpoint accepts. Default: the API key. */
  callers?: "key or session" | "session" | "anyone";
  /** Whether the request body may be missing. */
  bodyOptional?: boolean;
  /** HTTP status of a successful response (default 200). */
  status?: number;
  /** Returns the `data` of the envelope, or throws a Refusal before any change. */
  handle(call: EndpointCall): unknown;
}

/** An authorized request. */
export interface EndpointCall {
  /** The key's account, or an empty account for an endpoint without credentials. */
  account: Account;
  /** The token's session, if the request was sent with a token. */
  session: SessionToken | undefined;
  /** The path segment that `:id` matches. */
  id: string;
  query: URLSearchParams;
  /** JSON without null fields, which the service treats as missing. */
  body: unknown;
  /** The requested URL without its query, for links to other pages. */
  url: string;
  behavior: Behavior;
  profile: Profile | undefined;
  nowMs: number;
  newId: () => string;
}

/** Reads the JSON body's known fields. Throws a Refusal that names each invalid field. */
export function readBody<T>(call: EndpointCall, schema: z.ZodType<T>): T {
  return assertValid(parseShape(schema, call.body, ["body"]));
}

/** Reads the query fields. Throws a Refusal that names each invalid field. */
export function readQuery<T>(call: EndpointCall, schema: z.ZodType<T>): T {
  return assertValid(parseShape(schema, Object.fromEntries(call.query), ["query"]));
}

/** Reads the id in the path. Throws a Refusal if the id does not match the schema. */
export function readId(call: EndpointCall, name: string, schema: z.ZodType<string>): string {
  return assertValid(parseShape(schema, call.id, ["path", name]));
}

/** Returns the time of the call in the format of stored timestamps. */
export function formatCallTime(call: EndpointCall): string {
  return new Date(call.nowMs).toISOString();
}

/** Formats a stored timestamp with this deployment's precision. */
export function showTime(time: string, { timestampPrecision }: Behavior): string {
  if (timestampPrecision === "ms") return time;
  return timestampPrecision === "s" ? `${time.slice(0, 19)}Z` : `${time.slice(0, 23)}000Z`;
}

/**
 * Formats a row for a response: adjusts the precision of its timestamps, and shows empty optional fields as null if
 * configured.
 */
export function showRow<Row extends { created_at: string; updated_at?: string }>(
  row: Row,
  { behavior }: EndpointCall,
  ...optional: readonly (keyof Row)[]
): Row {
  const times = (["created_at", "updated_at"] as const).flatMap((name) => {
    const time = row[name];
    return time === undefined ? [] : [[name, showTime(time, behavior)]];
  });
  const empty = optional.filter((name) => behavior.nulls && Object(row[name]).length === 0);
  return { ...row, ...Object.fromEntries([...times, ...empty.map((name) => [name, null])]) };
}

/** Returns the fields if the deployment sends undocumented fields, and otherwise none. */
export function includeExtraFields(
  fields: Record<string, unknown>,
  { extraFields }: Behavior,
): Record<string, unknown> {
  return extraFields ? fields : {};
}

/** Returns the undocumented fields if the deployment has a profile, and otherwise none. */
export function includeProfileFields(
  fields: Record<string, unknown>,
  { profile }: EndpointCall,
): Record<string, unknown> {
  return profile === undefined ? {} : fields;
}

function assertValid<T>(read: ReturnType<typeof parseShape<T>>): T {
  if ("value" in read) return read.value;
  throw createInvalid(read.problems);
}
