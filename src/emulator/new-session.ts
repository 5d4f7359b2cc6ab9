import * as z from "zod";
import { dated, integer, strictObject, text, time } from "./shape.js";
import { utterance } from "./transcripts.js";

export const storedSession = strictObject({
  ...dated,
  avatar_id: text(),
  context_id: text().exactOptional(),
  source: text(),
  mode: text(),
  is_sandbox: z.boolean(),
  max_session_duration: integer(0),
  duration: integer(0),
  credits_consumed: z.number(),
  /** When its stream began; null before, absent where that is not known. */
  started_at: time.nullable().exactOptional(),
  kept_alive_at: time.exactOptional(),
  transcript: z.array(utterance).exactOptional(),
  ended_at: time.nullable(),
  end_reason: text(),
});

/** §2.7. Active while `ended_at` is null. Assumed: durations are seconds (§2.7 and §4.5 show no unit). */
export type Session = z.infer<typeof storedSession>;

/** The values of `end_reason` in deployments; §2.7 has none. */
export const endReasons = [
  ...["USER_DISCONNECTED", "USER_CLOSED", "IDLE_TIMEOUT", "AGENT_HANG_UP", "MAX_DURATION_REACHED", "UNKNOWN"],
  ...["NO_CREDITS", "SERVER_ERROR", "ZOMBIE_SESSION_REAP", "AVATAR_DELETED"],
];

/** A session that has just started. */
export const newSession = {
  source: "API",
  mode: "FULL",
  is_sandbox: false,
  max_session_duration: 600,
  duration: 0,
  credits_consumed: 0,
  ended_at: null,
  end_reason: "",
};
