import * as z from "zod";
import { type Account, type Row, rowById, rowsNamed } from "./account.js";
import type { Behaviour } from "./behaviour.js";
import { type Call, type Endpoint, readBody, readQuery, showExtra, showTime, timestamp } from "./endpoint.js";
import { newSession, type Session, storedSession } from "./new-session.js";
import { odd } from "./odd-sessions.js";
import { scrambled, showPage } from "./pages.js";
import { notFound, Refusal } from "./refusal.js";
import { edit, type Resource } from "./resource.js";
import { avatarDigit, numberedId, sandboxAvatarId } from "./sample-ids.js";
import { sampleSessions } from "./sample-sessions.js";
import { sessionLists } from "./session-lists.js";
import { integer, text, uuid } from "./shape.js";

const rows = rowsNamed<Session>("sessions");
const avatars = rowsNamed<Row>("avatars");
const contexts = rowsNamed<Row>("contexts");

const sandboxSeconds = 60;

const endpoints: readonly Endpoint[] = [
  { method: "GET", path: "/v1/sessions", handle: listSessions },
  { method: "POST", path: "/v1/sessions/token", handle: createToken },
];

/** What the session page of the service's dashboard can do. */
export interface SessionPage {
  addSession(fields?: Partial<Session>): Session;
  /** Throws EmulatorInputError for an id that no active session has. */
  endSession(id: string, reason?: string): void;
}

/** §4.5 */
export const sessions: Resource<Session, SessionPage> = {
  name: "sessions",
  endpoints,
  stored: storedSession,
  dashboard: (account, { nowMs, newId }) => ({
    addSession(fields = {}) {
      const at = new Date(nowMs()).toISOString();
      const avatar_id = avatars(account.world)[0]?.id ?? newId();
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
  }),
  sample: sampleSessions,
  numbered: {
    digit: 4,
    row: (_, dated) => ({ ...dated, ...newSession, avatar_id: numberedId(avatarDigit, 0) }),
  },
  edits: {
    addSession: edit({ session: storedSession.exactPartial().optional() }, (page, { session }) =>
      page.addSession(session),
    ),
    endSession: edit({ id: text(), reason: text().optional() }, (page, { id, reason }) =>
      page.endSession(id, reason),
    ),
  },
};

const listQuery = z.object({ type: z.enum(["active", "historic"]) });

function listSessions(call: Call): unknown {
  const { type } = readQuery(call, listQuery);
  endSessions(call.account, call.nowMs);
  return showPage(call, `${type} sessions`, sessionLists(call.account)[type], (session) =>
    odd(show(session, call), call.behaviour.oddSessions, scrambled(session.id)),
  );
}

const voiceSettings = z
  .object({
    provider: text(),
    speed: z.number(),
    stability: z.number(),
    similarity_boost: z.number(),
    style: z.number(),
    use_speaker_boost: z.boolean(),
    model: text(),
  })
  .partial();

const persona = z
  .object({
    voice_id: uuid,
    context_id: uuid,
    language: text(),
    voice_settings: voiceSettings,
    stt_config: z.object({ provider: text() }).partial(),
  })
  .partial();

const tokenRequest = z
  .object({
    avatar_id: uuid,
    avatar_persona: persona,
    mode: text({ min: 1 }),
    is_sandbox: z.boolean(),
    video_settings: z.object({ quality: text(), encoding: text() }).partial(),
    max_session_duration: integer(1),
    interactivity_type: text(),
    llm_configuration_id: uuid,
  })
  .partial();

// Assumed: outside the sandbox, mode and avatar_id are required as well (§4.5 shows it for the sandbox only).
const productionToken = tokenRequest.required({ mode: true, avatar_id: true });
const sandboxToken = tokenRequest
  .extend({ avatar_persona: persona.required({ voice_id: true, language: true }) })
  .required({ mode: true, is_sandbox: true, avatar_id: true });
const sandboxWanted = tokenRequest.pick({ is_sandbox: true });

function createToken(call: Call): unknown {
  const { is_sandbox = false } = readBody(call, sandboxWanted);
  const needsPersona = is_sandbox && call.behaviour.sandboxPersona === "required";
  const request = readBody(call, needsPersona ? sandboxToken : productionToken);
  refuseWrongAvatar(call, request.avatar_id, is_sandbox);
  refuseUnknownContext(call, request.avatar_persona?.context_id);
  const at = timestamp(call);
  const wantedSeconds = request.max_session_duration ?? newSession.max_session_duration;
  const session: Session = {
    ...newSession,
    id: call.newId(),
    avatar_id: request.avatar_id,
    mode: request.mode,
    is_sandbox,
    max_session_duration: is_sandbox ? Math.min(sandboxSeconds, wantedSeconds) : wantedSeconds,
    created_at: at,
    updated_at: at,
  };
  // Assumed: a session is active once its token exists; the document does not show when the stream starts
  // (§1).
  rows(call.account.world).push(session);
  call.account.changed();
  return { session_id: session.id, session_token: `session-token-${call.newId()}` };
}

function refuseWrongAvatar({ account }: Call, avatarId: string, isSandbox: boolean): void {
  const isSandboxAvatar = avatarId === sandboxAvatarId;
  if (isSandbox && !isSandboxAvatar) throw new Refusal(400, "This avatar is not available in sandbox mode");
  if (!isSandbox && isSandboxAvatar) throw new Refusal(400, "This avatar is only available in sandbox mode");
  if (!isSandbox && !avatars(account.world).some(({ id }) => id === avatarId)) throw notFound("Avatar");
}

// The voice is not checked: accounts may use shared voices that they do not own.
function refuseUnknownContext({ account }: Call, contextId: string | undefined): void {
  if (contextId === undefined || contexts(account.world).some(({ id }) => id === contextId)) return;
  throw notFound("Context");
}

/** Ends sessions whose time is over: the data has no clock, so this happens on each read. */
function endSessions(account: Account, nowMs: number): void {
  for (const session of sessionLists(account).active) {
    const endMs = Date.parse(session.created_at) + session.max_session_duration * 1000;
    if (nowMs < endMs) continue;
    end(session, endMs, "MAX_DURATION_REACHED");
    account.changed();
  }
}

function end(session: Session, atMs: number, end_reason: string): void {
  const ended_at = new Date(atMs).toISOString();
  Object.assign(session, usage(session, atMs), { ended_at, updated_at: ended_at, end_reason });
}

/**
 * Assumed: two credits per started minute in mode FULL, one in others (no price is documented); none in the
 * sandbox (§8).
 */
function usage(session: Session, untilMs: number): { duration: number; credits_consumed: number } {
  const seconds = Math.max(0, Math.floor((untilMs - Date.parse(session.created_at)) / 1000));
  const perMinute = session.is_sandbox ? 0 : session.mode === "FULL" ? 2 : 1;
  return { duration: seconds, credits_consumed: Math.ceil(seconds / 60) * perMinute };
}

function show(session: Session, { behaviour, nowMs }: Call) {
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
    ...showExtra({ source: "KIOSK", mode: "HOLOGRAM", ...ending(session, behaviour) }, behaviour),
  };
}

function ending({ ended_at, end_reason }: Session, behaviour: Behaviour): Record<string, string> {
  return ended_at === null ? {} : { end_at: showTime(ended_at, behaviour), end_reason };
}
