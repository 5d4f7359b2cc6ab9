import type { TimestampedRow } from "./account.js";
import type { Utterance } from "./transcripts.js";

/**
 * A session (§2.7), active while `ended_at` is null. Assumption: durations are in seconds (no unit in §2.7 and §4.5).
 */
export interface Session extends TimestampedRow {
  avatar_id: string;
  context_id?: string;
  source: string;
  mode: string;
  is_sandbox: boolean;
  max_session_duration: number;
  duration: number;
  credits_consumed: number;
  /** Start of the stream: null before the start, absent if unknown. */
  started_at?: string | null;
  kept_alive_at?: string;
  transcript?: Utterance[];
  ended_at: string | null;
  end_reason: string;
}

/** Values of `end_reason` seen in deployments. §2.7 lists none. */
export const endReasons = [
  ...["USER_DISCONNECTED", "USER_CLOSED", "IDLE_TIMEOUT", "AGENT_HANG_UP", "MAX_DURATION_REACHED", "UNKNOWN"],
  ...["NO_CREDITS", "SERVER_ERROR", "ZOMBIE_SESSION_REAP", "AVATAR_DELETED"],
];

export const sessionDefaults = {
  source: "API",
  mode: "FULL",
  is_sandbox: false,
  max_session_duration: 600,
  duration: 0,
  credits_consumed: 0,
  ended_at: null,
  end_reason: "",
};
