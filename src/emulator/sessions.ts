import * as z from "zod";
import { createRowGetter, findRow } from "./account.js";
import type { Behavior } from "./behavior.js";
import {
  type EndpointCall,
  formatCallTime,
  includeExtraFields,
  includeProfileFields,
  readBody,
  readQuery,
  showTime,
} from "./endpoint.js";
import { endReasons, type Session, sessionDefaults } from "./new-session.js";
import { showPage } from "./pages.js";
import { createNotFound, Refusal } from "./refusal.js";
import type { EmulatedResource } from "./resource.js";
import { avatarDigit, createNumberedId } from "./sample-ids.js";
import { createSampleSessions } from "./sample-sessions.js";
import { computeUsage, endSession, endSessions, getPricePerMinute } from "./session-life.js";
import { listSessions } from "./session-lists.js";
import { findAvatarId, type ReceivedTokenRequest, readTokenRequest } from "./session-tokens.js";
import { text, uuid } from "./shape.js";
import { createGreeting, showTranscript, type Utterance } from "./transcripts.js";

const rows = createRowGetter<Session>("sessions");

const sandboxSeconds = 60;

/** Dashboard edits that the session page offers. */
export interface SessionPage {
  addSession(fields?: Partial<Session>): Session;
  /** Ends a session. Throws EmulatorInputError if no active session has the id. */
  endSession(id: string, reason?: string): void;
  /** Adds an utterance to a session. Throws EmulatorInputError if no active session has the id. */
  say(id: string, role: Utterance["role"], text: string): void;
}

const path = "/v1/sessions";
const either = { callers: "key or session", bodyOptional: true } as const;

/** Sessions, with the documented endpoints (§4.5). */
export const sessions: EmulatedResource<Session, SessionPage> = {
  endpoints: [
    { method: "GET", path, handle: showSessions },
    { method: "POST", path: `${path}/token`, handle: createToken },
  ],
  profiles: {
    liveavatar: [
      { method: "POST", path: `${path}/start`, ...either, callers: "session", status: 201, handle: start },
      { method: "POST", path: `${path}/stop`, ...either, handle: stop },
      { method: "DELETE", path, ...either, handle: stop },
      { method: "POST", path: `${path}/keep-alive`, ...either, handle: keepAlive },
      { method: "GET", path: `${path}/:id`, ...either, handle: (call) => show(findSession(call), call) },
      {
        ...{ method: "GET", path: `${path}/:id/transcript`, ...either },
        handle: (call) => showTranscript(findSession(call), call),
      },
      {
        ...{ method: "GET", path: "/v1/users/credits" },
        handle: (call) => ({ credits_left: (endSessions(call) ?? 0).toFixed(2) }),
      },
    ],
  },
  openPage: (account, { nowMs, newId }) => ({
    addSession(fields = {}) {
      const at = new Date(nowMs()).toISOString();
      const avatar_id = findAvatarId(account.world) ?? newId();
      const dated = { id: newId(), created_at: at, updated_at: at };
      const session = { ...dated, ...sessionDefaults, avatar_id, ...fields };
      rows(account.world).push(session);
      account.changed();
      return session;
    },
    endSession(id, reason = "USER_CLOSED") {
      endSession(findRow(listSessions(account).active, id, "active session"), nowMs(), reason);
      account.changed();
    },
    say(id, role, text) {
      const session = findRow(listSessions(account).active, id, "active session");
      session.transcript = [
        ...(session.transcript ?? []),
        { role, text, at: new Date(nowMs()).toISOString() },
      ];
      account.changed();
    },
  }),
  createSample: createSampleSessions,
  rowGenerator: {
    digit: 4,
    row: (_, dated) => ({ ...dated, ...sessionDefaults, avatar_id: createNumberedId(avatarDigit, 0) }),
  },
};

const listQuery = z.object({ type: z.enum(["active", "historic"]) });
const filters = z.object({ avatar_id: text(), context_id: text() }).exactPartial();

function showSessions(call: EndpointCall): unknown {
  const { type } = readQuery(call, listQuery);
  const conditions = Object.entries(call.profile ? readQuery(call, filters) : {});
  endSessions(call);
  const all = listSessions(call.account)[type];
  const matches = (row: Session) => conditions.every(([name, value]) => row[name as keyof Session] === value);
  const listed = conditions.length === 0 ? all : all.filter(matches);
  return showPage(call, `${type} sessions ${conditions}`, listed, (session) => show(session, call));
}

function createToken(call: EndpointCall): unknown {
  const request = readTokenRequest(call);
  const { avatar_id, mode, is_sandbox = false } = request;
  const context_id = request.avatar_persona?.context_id;
  const at = formatCallTime(call);
  const requestedSeconds = request.max_session_duration ?? sessionDefaults.max_session_duration;
  const session: Session = {
    ...sessionDefaults,
    id: call.newId(),
    ...{ avatar_id, mode, is_sandbox },
    max_session_duration: is_sandbox ? Math.min(sandboxSeconds, requestedSeconds) : requestedSeconds,
    created_at: at,
    updated_at: at,
    ...(context_id === undefined ? {} : { context_id }),
    // With a profile, sessions are started separately, and a token alone costs nothing.
    ...(call.profile ? { started_at: null } : {}),
  };
  // Assumption: a session becomes active when its token is issued. The document does not show how a stream starts (§1).
  rows(call.account.world).push(session);
  call.account.changed();
  const session_token = buildToken(call, session.id, request);
  call.account.sessionTokens.set(session_token, {
    sessionId: session.id,
    variables: request.dynamic_variables ?? {},
    room: request.livekit_config?.livekit_url,
  });
  return { session_id: session.id, session_token };
}

/** Builds a token. Real deployments issue a JWT, and clients read the mode from it. */
function buildToken(
  { profile, newId }: EndpointCall,
  session_id: string,
  request: ReceivedTokenRequest,
): string {
  return profile === undefined
    ? `session-token-${newId()}`
    : buildJwt({ session_id, start_session_data: request }, newId());
}

function buildJwt(claims: object, signature: string): string {
  const parts = [{ alg: "HS256", typ: "JWT" }, claims];
  const encoded = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  return [...encoded, signature].join(".");
}

/** Finds a session by id. Throws a Refusal if it does not exist or the caller has no access to it. */
function findSession(call: EndpointCall, id = call.id): Session {
  endSessions(call);
  const isTheirs = call.session === undefined || call.session.sessionId === id;
  const session = rows(call.account.world).find((row) => row.id === id);
  if (!session || !isTheirs) throw createNotFound("Session");
  return session;
}

const named = z.object({ session_id: uuid.exactOptional() });

/** Finds the active session that the body names, or else the token's session. */
function findActive(call: EndpointCall): Session {
  const { session_id: id = call.session?.sessionId } = readBody(call, named);
  if (id === undefined) throw new Refusal(400, "session_id is required");
  const session = findSession(call, id);
  // Assumption: keeping alive or stopping an ended session is an error.
  if (session.ended_at !== null) throw new Refusal(400, "Session is not active");
  return session;
}

function start(call: EndpointCall): unknown {
  const session = findActive(call);
  if (session.started_at) throw new Refusal(400, "Session has already been started");
  const left = endSessions(call);
  if (left !== null && left < getPricePerMinute(session)) throw new Refusal(400, "Not enough credits");
  const at = formatCallTime(call);
  Object.assign(session, { started_at: at, updated_at: at, transcript: createGreeting(call, session, at) });
  call.account.changed();
  const { host } = new URL(call.url);
  // The emulator has no stream. Its own URL makes clients fail at once, without contacting another server.
  const stream = `${call.url.startsWith("https") ? "wss" : "ws"}://${host}`;
  return {
    session_id: session.id,
    max_session_duration: session.max_session_duration,
    livekit_url: call.session?.room ?? stream,
    livekit_client_token: `livekit-client-token-${call.newId()}`,
    livekit_agent_token: buildJwt(
      { sub: "agent", video: { room: session.id, roomJoin: true } },
      call.newId(),
    ),
    ws_url: `${stream}/v1/ws/${session.id}`,
  };
}

const stopping = z.object({ reason: z.enum(endReasons).default("USER_CLOSED") });

function stop(call: EndpointCall): null {
  const session = findActive(call);
  endSession(session, call.nowMs, readBody(call, stopping).reason);
  call.account.changed();
  return null;
}

function keepAlive(call: EndpointCall): null {
  findActive(call).kept_alive_at = formatCallTime(call);
  call.account.changed();
  return null;
}

function show(session: Session, call: EndpointCall) {
  const { behavior, nowMs } = call;
  const { duration, credits_consumed } = session.ended_at === null ? computeUsage(session, nowMs) : session;
  return {
    id: session.id,
    created_at: showTime(session.created_at, behavior),
    updated_at: showTime(session.updated_at, behavior),
    duration,
    source: session.source,
    mode: session.mode,
    is_sandbox: session.is_sandbox,
    credits_consumed,
    ...includeProfileFields(showEnd(session, behavior), call),
    ...includeExtraFields({ source: "KIOSK", mode: "HOLOGRAM", ...showEnd(session, behavior) }, behavior),
  };
}

function showEnd({ ended_at, end_reason }: Session, behavior: Behavior): Record<string, string> {
  return ended_at === null ? {} : { end_at: showTime(ended_at, behavior), end_reason };
}
