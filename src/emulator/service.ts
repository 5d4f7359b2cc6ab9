import { type Account, openAccount, type SessionToken } from "./account.js";
import type { Behavior } from "./behavior.js";
import { type Endpoint, includeExtraFields } from "./endpoint.js";
import type { Profile } from "./profile.js";
import { limitRate } from "./rate-limit.js";
import { buildErrorBody, createInvalid, createNotFound, Refusal, toStatus } from "./refusal.js";
import type { EmulatedResource } from "./resource.js";
import * as resources from "./resources.js";

export interface ReceivedRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  apiKey: string | undefined;
  /** The token after `Bearer`, if any. */
  bearer: string | undefined;
  contentType: string;
  /** Body, or "" if the request has none. */
  text: string;
  /** The requested URL without its query. */
  url: string;
}

export interface ServiceResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface EmulatedServiceSettings {
  account: Account;
  apiKey: string;
  behavior: Behavior;
  profile: Profile | undefined;
  nowMs: () => number;
  newId: () => string;
}

/** Emulates the service without HTTP: returns a function that processes a request and returns the response. */
export function openService(
  settings: EmulatedServiceSettings,
): (request: ReceivedRequest) => ServiceResponse {
  const countRequest = limitRate();
  const endpoints = listEndpoints(settings.profile);
  const emptyAccount = openAccount({});
  return (request) => {
    try {
      const { endpoint, id } = findEndpoint(endpoints, request.method, request.path);
      const { account, session } =
        endpoint.callers === "anyone"
          ? { account: emptyAccount, session: undefined }
          : findCaller(settings, endpoint, request);
      const nowMs = settings.nowMs();
      countRequest(
        `${session?.sessionId ?? request.apiKey} ${endpoint.method} ${endpoint.path}`,
        nowMs,
        settings.behavior,
      );
      const hasBody = endpoint.bodyOptional || ["POST", "PATCH"].includes(endpoint.method);
      const body = hasBody ? parseJson(request, endpoint) : undefined;
      const { behavior, profile, newId } = settings;
      const { query, url } = request;
      const call = { account, session, id, query, body, url, behavior, profile, nowMs, newId };
      return buildSuccess(endpoint, endpoint.handle(call), behavior);
    } catch (error) {
      if (error instanceof Refusal) return toErrorResponse(error, settings.behavior);
      throw error;
    }
  };
}

/** Builds an error response in this deployment's format. */
export function toErrorResponse(refusal: Refusal, { errorBodies }: Behavior): ServiceResponse {
  return toJsonResponse(
    toStatus(refusal, errorBodies),
    buildErrorBody(refusal, errorBodies),
    refusal.headers,
  );
}

export function toJsonResponse(
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): ServiceResponse {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) };
}

/** Lists the endpoints. The profile's endpoints come first, so they override the documented ones. */
function listEndpoints(profile: Profile | undefined): Endpoint[] {
  const all: EmulatedResource[] = Object.values(resources);
  const added = profile === undefined ? [] : all.flatMap(({ profiles }) => profiles?.[profile] ?? []);
  return [...added, ...all.flatMap(({ endpoints }) => endpoints)];
}

function findEndpoint(
  endpoints: readonly Endpoint[],
  method: string,
  path: string,
): { endpoint: Endpoint; id: string } {
  const allowed = new Set<string>();
  for (const endpoint of endpoints) {
    const id = matchPath(endpoint.path, path);
    if (id === undefined) continue;
    if (endpoint.method === method) return { endpoint, id };
    allowed.add(endpoint.method);
  }
  if (allowed.size === 0) throw createNotFound("Page");
  throw new Refusal(405, "Method not allowed", { headers: { allow: [...allowed].join(", ") } });
}

/** Authenticates the caller by session token if the endpoint accepts one, otherwise by API key. */
function findCaller(
  { account, apiKey }: EmulatedServiceSettings,
  { callers }: Endpoint,
  request: ReceivedRequest,
): { account: Account; session: SessionToken | undefined } {
  const session = callers === undefined ? undefined : account.sessionTokens.get(request.bearer ?? "");
  if (session || (callers !== "session" && request.apiKey === apiKey)) return { account, session };
  throw new Refusal(401, callers === "session" ? "Invalid session token" : "Invalid API key");
}

/** Returns the path segment at `:id`, "" if the pattern has no `:id`, or undefined if the path does not match. */
function matchPath(pattern: string, path: string): string | undefined {
  const at = pattern.indexOf(":id");
  if (at < 0) return pattern === path ? "" : undefined;
  const before = pattern.slice(0, at);
  const after = pattern.slice(at + ":id".length);
  if (!path.startsWith(before) || !path.endsWith(after)) return undefined;
  const id = path.slice(before.length, path.length - after.length);
  if (id === "" || id.includes("/")) return undefined;
  try {
    return decodeURIComponent(id);
  } catch {
    return undefined;
  }
}

function parseJson({ contentType, text }: ReceivedRequest, { bodyOptional = false }: Endpoint): unknown {
  if (bodyOptional && text === "") return {};
  // Assumption: other content types are refused (§5.2 requires the header, but does not describe the error).
  if (!/^application\/json\b/i.test(contentType)) {
    throw new Refusal(415, "Content-Type must be application/json");
  }
  try {
    return JSON.parse(text, function (this: unknown, _, value: unknown) {
      return value === null && !Array.isArray(this) ? undefined : value;
    });
  } catch {
    throw createInvalid([{ at: ["body"], message: "is not valid JSON" }]);
  }
}

function buildSuccess({ status = 200 }: Endpoint, data: unknown, behavior: Behavior): ServiceResponse {
  const envelope = { code: behavior.successCode, data, message: "Success" };
  return toJsonResponse(status, {
    ...envelope,
    ...includeExtraFields({ request_id: "unknown-to-the-document" }, behavior),
  });
}
