/** What is said in sessions; deployments keep it in mode FULL. */
import * as z from "zod";
import { type Row, rowsNamed } from "./account.js";
import { type Call, readQuery } from "./endpoint.js";
import { digits } from "./shape.js";

/** What somebody said. */
export interface Utterance {
  role: "user" | "avatar";
  text: string;
  at: string;
}

/** A session, as far as what is said in it goes. */
interface Spoken {
  mode: string;
  context_id?: string;
  started_at?: string | null;
  ended_at: string | null;
  transcript?: Utterance[];
}

const contexts = rowsNamed<Row & { opening_text: string }>("contexts");

/** What an avatar says first: the context's opening text, its `${placeholders}` filled in as far as the token has values. */
export function greeting({ account, session: token }: Call, session: Spoken, at: string): Utterance[] {
  const context = contexts(account.world).find(({ id }) => id === session.context_id);
  if (!context?.opening_text || session.mode !== "FULL") return [];
  const fill = (written: string, name: string) => token?.variables[name] ?? written;
  return [{ role: "avatar", text: context.opening_text.replace(/\$\{(\w+)\}/g, fill), at }];
}

const period = z.object({ start_timestamp: digits(0), end_timestamp: digits(0) }).exactPartial();

// Assumed: timestamps are seconds, an end is not part of its period, and `next_timestamp` says where to go on while the session does.
export function showTranscript({ transcript = [], started_at, ended_at }: Spoken, call: Call): unknown {
  const { start_timestamp = 0, end_timestamp = Number.POSITIVE_INFINITY } = readQuery(call, period);
  const lines = transcript.map(({ role, text, at }) => ({
    ...{ role, transcript: text, absolute_timestamp: seconds(at) },
    relative_timestamp: seconds(at) - seconds(started_at ?? transcript[0]?.at ?? at),
  }));
  const shown = lines.filter(({ absolute_timestamp: at }) => at >= start_timestamp && at < end_timestamp);
  const last = shown.at(-1)?.absolute_timestamp ?? start_timestamp - 1;
  return {
    session_active: ended_at === null,
    transcript_data: shown,
    next_timestamp: ended_at === null ? last + 1 : null,
  };
}

function seconds(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}
