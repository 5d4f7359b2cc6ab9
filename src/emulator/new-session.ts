import type { Dated } from "./account.js";

/** §2.7. Active while `ended_at` is null. Assumed: durations are seconds (§2.7 and §4.5 show no unit). */
export interface Session extends Dated {
  avatar_id: string;
  source: string;
  mode: string;
  is_sandbox: boolean;
  max_session_duration: number;
  duration: number;
  credits_consumed: number;
  ended_at: string | null;
  end_reason: string;
}

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
