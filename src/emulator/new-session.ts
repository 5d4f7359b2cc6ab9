import * as z from "zod";
import { dated, integer, strictObject, text, time } from "./shape.js";

export const storedSession = strictObject({
  ...dated,
  avatar_id: text(),
  source: text(),
  mode: text(),
  is_sandbox: z.boolean(),
  max_session_duration: integer(0),
  duration: integer(0),
  credits_consumed: z.number(),
  ended_at: time.nullable(),
  end_reason: text(),
});

/** §2.7. Active while `ended_at` is null. Assumed: durations are seconds (§2.7 and §4.5 show no unit). */
export type Session = z.infer<typeof storedSession>;

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
