import type { Dataset } from "./dataset.js";
import { decimal, flag, integer, list, orNull, type Shape, strictRecord, text } from "./shape.js";

const id = text({ min: 1 });

const time: Shape<string> = (value, at, found) => {
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return value;
  found({ at, message: "must be a time such as 2025-01-31T12:00:00.000Z" });
  return undefined;
};

const dated = { id, created_at: time, updated_at: time };

/** The fields of a session, as written in the data file and in edits. */
export const sessionFields = {
  ...dated,
  avatar_id: text(),
  source: text(),
  mode: text(),
  is_sandbox: flag,
  max_session_duration: integer(0),
  duration: integer(0),
  credits_consumed: decimal,
  ended_at: orNull(time),
  end_reason: text(),
};

const avatarFields = {
  ...dated,
  name: text(),
  status: text(),
  error_message: text(),
  space_id: text(),
  preview_url: text(),
  is_expired: flag,
  default_voice: orNull(complete({ id, name: text() })),
};

const voiceFields = {
  ...dated,
  name: text(),
  language: text(),
  gender: text(),
  tags: list(text()),
  description: text(),
};

const contextFields = {
  ...dated,
  name: text(),
  prompt: text(),
  opening_text: text(),
  links: list(complete({ id, url: text(), faq: text() })),
};

const secretFields = { id, secret_name: text(), secret_type: text(), created_at: time };

/** A whole world, every field of which must be there. */
export const datasetShape: Shape<Dataset> = complete({
  avatars: list(complete(avatarFields)),
  voices: list(complete(voiceFields)),
  contexts: list(complete(contextFields)),
  secrets: list(complete(secretFields)),
  sessions: list(complete(sessionFields)),
});

function complete<F extends Record<string, Shape<unknown>>>(fields: F) {
  return strictRecord<F, keyof F & string>(fields, ...Object.keys(fields));
}
