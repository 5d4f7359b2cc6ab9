import * as z from "zod";
import { rowById, rowsNamed } from "./account.js";
import type { Behaviour } from "./behaviour.js";
import { type Call, readBody, readQuery, showExtra, showOffered, showTime, timestamp } from "./endpoint.js";
import { endReasons, newSession, type Session } from "./new-session.js";
import { showPage } from "./pages.js";
import { notFound, Refusal } from "./refusal.js";
import type { Resource } from "./resource.js";
import { avatarDigit, numberedId } from "./sample-ids.js";
import { sampleSessions } from "./sample-sessions.js";
import { end, endSessions, perMinute, usage } from "./session-life.js";
import { sessionLists } from "./session-lists.js";
import { anyAvatarId, readTokenRequest, type TokenRequest } from "./session-tokens.js";
import { text, uuid } from "./shape.js";
import { greeting, showTranscript, type Utterance } from "./transcripts.js";

const rows = rowsNamed<Session>("sessions");

const sandboxSeconds = 60;

/** What the session page of the service's dashboard can do. */
export interface SessionPage {
  addSession(fields?: Partial<Session>): Session;
  /** Throws EmulatorInputError for an id that no active session has. */
  endSession(id: string, reason?: string): void;
  /** Somebody says something in a session. Throws EmulatorInputError for an id that no active session has. */
  say(id: string, role: Utterance["role"], text: string): void;
}

const path = "/v1/sessions";
const either = { callers: "key or session", bodyOptional: true } as const;

/** §4.5 */
export const sessions: Resource<Session, SessionPage> = {
  endpoints: [
    { method: "GET", path, handle: listSessions },
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
  dashboard: (account, { nowMs, newId }) => ({
    addSession(fields = {}) {
      const at = new Date(nowMs()).toISOString();
      const avatar_id = anyAvatarId(account.world) ?? newId();
      const dated = { id: newId(), created_at: at, updated_at: at };
      const session = { ...dated, ...newSession, avatar_id, ...fields };
      rows(account.world).push(session);
      account.changed();
      return session;
    },
    endSession(id, reason = "USER_CLOSED") {
      end(rowById(sessionLists(account).active, id, "active session"), nowMs(), reason);
      account.changed();
    },
    say(id, role, text) {
      const session = rowById(sessionLists(account).active, id, "active session");
      session.transcript = [
        ...(session.transcript ?? []),
        { role, text, at: new Date(nowMs()).toISOString() },
      ];
      account.changed();
    },
  }),
  sample: sampleSessions,
  numbered: {
    digit: 4,
    row: (_, dated) => ({ ...dated, ...newSession, avatar_id: numberedId(avatarDigit, 0) }),
  },
};

const listQuery = z.object({ type: z.enum(["active", "historic"]) });
const filters = z.object({ avatar_id: text(), context_id: text() }).exactPartial();

function listSessions(call: Call): unknown {
  const { type } = readQuery(call, listQuery);
  const wanted = Object.entries(call.profile ? readQuery(call, filters) : {});
  endSessions(call);
  const all = sessionLists(call.account)[type];
  const isWanted = (row: Session) => wanted.every(([name, value]) => row[name as keyof Session] === value);
  const listed = wanted.length === 0 ? all : all.filter(isWanted);
  return showPage(call, `${type} sessions ${wanted}`, listed, (session) => show(session, call));
}

function createToken(call: Call): unknown {
  const request = readTokenRequest(call);
  const { avatar_id, mode, is_sandbox = false } = request;
  const context_id = request.avatar_persona?.context_id;
  const at = timestamp(call);
  const wantedSeconds = request.max_session_duration ?? newSession.max_session_duration;
  const session: Session = {
    ...newSession,
    id: call.newId(),
    ...{ avatar_id, mode, is_sandbox },
    max_session_duration: is_sandbox ? Math.min(sandboxSeconds, wantedSeconds) : wantedSeconds,
    created_at: at,
    updated_at: at,
    ...(context_id === undefined ? {} : { context_id }),
    // Where sessions can be started, one that only has a token costs nothing.
    ...(call.profile ? { started_at: null } : {}),
  };
  // Assumed: a session is active once its token exists; the document does not show when the stream starts
  // (§1).
  rows(call.account.world).push(session);
  call.account.changed();
  const session_token = newToken(call, session.id, request);
  call.account.sessionTokens.set(session_token, {
    sessionId: session.id,
    variables: request.dynamic_variables ?? {},
    room: request.livekit_config?.livekit_url,
  });
  return { session_id: session.id, session_token };
}

/** In deployments it is a JWT, in which clients look up the mode. */
function newToken({ profile, newId }: Call, session_id: string, request: TokenRequest): string {
  return profile === undefined
    ? `session-token-${newId()}`
    : jwt({ session_id, start_session_data: request }, newId());
}

/** With a signature that nobody checks. */
function jwt(claims: object, signature: string): string {
  const parts = [{ alg: "HS256", typ: "JWT" }, claims];
  const encoded = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  return [...encoded, signature].join(".");
}

/** The session of that id, if the caller may ask for it. */
function findSession(call: Call, id = call.id): Session {
  endSessions(call);
  const isTheirs = call.session === undefined || call.session.sessionId === id;
  const session = rows(call.account.world).find((row) => row.id === id);
  if (!session || !isTheirs) throw notFound("Session");
  return session;
}

const named = z.object({ session_id: uuid.exactOptional() });

/** The active session of the token, or the one that the body names. */
function findActive(call: Call): Session {
  const { session_id: id = call.session?.sessionId } = readBody(call, named);
  if (id === undefined) throw new Refusal(400, "session_id is required");
  const session = findSession(call, id);
  // Assumed: what has ended is neither kept alive nor stopped again.
  if (session.ended_at !== null) throw new Refusal(400, "Session is not active");
  return session;
}

function start(call: Call): unknown {
  const session = findActive(call);
  if (session.started_at) throw new Refusal(400, "Session has already been started");
  const left = endSessions(call);
  if (left !== null && left < perMinute(session)) throw new Refusal(400, "Not enough credits");
  const at = timestamp(call);
  Object.assign(session, { started_at: at, updated_at: at, transcript: greeting(call, session, at) });
  call.account.changed();
  const { host } = new URL(call.url);
  // Nobody streams there: a client that connects is told so at once, and nothing leaves this machine.
  const stream = `${call.url.startsWith("https") ? "wss" : "ws"}://${host}`;
  return {
    session_id: session.id,
    max_session_duration: session.max_session_duration,
    livekit_url: call.session?.room ?? stream,
    livekit_client_token: `livekit-client-token-${call.newId()}`,
    livekit_agent_token: jwt({ sub: "agent", video: { room: session.id, roomJoin: true } }, call.newId()),
    ws_url: `${stream}/v1/ws/${session.id}`,
  };
}

const stopping = z.object({ reason: z.enum(endReasons).default("USER_CLOSED") });

function stop(call: Call): null {
  const session = findActive(call);
  end(session, call.nowMs, readBody(call, stopping).reason);
  call.account.changed();
  return null;
}

function keepAlive(call: Call): null {
  findActive(call).kept_alive_at = timestamp(call);
  call.account.changed();
  return null;
}

function show(session: Session, call: Call) {
  const { behaviour, nowMs } = call;
  const { duration, credits_consumed } = session.ended_at === null ? usage(session, nowMs) : session;
  return {
    id: session.id,
    created_at: showTime(session.created_at, behaviour),
    updated_at: showTime(session.updated_at, behaviour),
    duration,
    source: session.source,
    mode: session.mode,
    is_sandbox: session.is_sandbox,
    credits_consumed,
    ...showOffered(ending(session, behaviour), call),
    ...showExtra({ source: "KIOSK", mode: "HOLOGRAM", ...ending(session, behaviour) }, behaviour),
  };
}

function ending({ ended_at, end_reason }: Session, behaviour: Behaviour): Record<string, string> {
  return ended_at === null ? {} : { end_at: showTime(ended_at, behaviour), end_reason };
}
