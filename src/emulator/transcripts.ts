/** Session transcripts, which deployments keep in mode FULL. */
import * as z from "zod";
import { createRowGetter, type Row } from "./account.js";
import { type EndpointCall, readQuery } from "./endpoint.js";
import { digits } from "./shape.js";

export interface Utterance {
  role: "user" | "avatar";
  text: string;
  at: string;
}

/** The session fields that a transcript is created from. */
interface TranscribedSession {
  mode: string;
  context_id?: string;
  started_at?: string | null;
  ended_at: string | null;
  transcript?: Utterance[];
}

const contexts = createRowGetter<Row & { opening_text: string }>("contexts");

/** Creates the avatar's first utterance: the context's opening text, filled in with the token's variables. */
export function createGreeting(
  { account, session: token }: EndpointCall,
  session: TranscribedSession,
  at: string,
): Utterance[] {
  const context = contexts(account.world).find(({ id }) => id === session.context_id);
  if (!context?.opening_text || session.mode !== "FULL") return [];
  const fill = (written: string, name: string) => token?.variables[name] ?? written;
  return [{ role: "avatar", text: context.opening_text.replace(/\$\{(\w+)\}/g, fill), at }];
}

const period = z.object({ start_timestamp: digits(0), end_timestamp: digits(0) }).exactPartial();

// Assumption: timestamps are in seconds, the end is exclusive, and `next_timestamp` is the start for the next request
// while the session is active.
export function showTranscript(
  { transcript = [], started_at, ended_at }: TranscribedSession,
  call: EndpointCall,
): unknown {
  const { start_timestamp = 0, end_timestamp = Number.POSITIVE_INFINITY } = readQuery(call, period);
  const lines = transcript.map(({ role, text, at }) => ({
    ...{ role, transcript: text, absolute_timestamp: toSeconds(at) },
    relative_timestamp: toSeconds(at) - toSeconds(started_at ?? transcript[0]?.at ?? at),
  }));
  const shown = lines.filter(({ absolute_timestamp: at }) => at >= start_timestamp && at < end_timestamp);
  const last = shown.at(-1)?.absolute_timestamp ?? start_timestamp - 1;
  return {
    session_active: ended_at === null,
    transcript_data: shown,
    next_timestamp: ended_at === null ? last + 1 : null,
  };
}

function toSeconds(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}
