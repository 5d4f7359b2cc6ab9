import { type Kind, type Live, type Made, readableFields } from "../kinds/index.js";
import type { Intent } from "../state/index.js";
import { recalls } from "./remember.js";

/** What an intent of creation tells of the object it made, if it did. */
export function madeBy(kind: Kind, intent: Intent, claimed: ReadonlySet<string>): Made {
  return {
    label: intent.label,
    at: intent.at,
    isOther: (id) => intent.known.includes(id) || claimed.has(id),
    matches: (live) => wasSent(kind, intent, live),
  };
}

/** Whether the live object is what the intent sent. */
export function wasSent(kind: Kind, intent: Intent, live: Live): boolean {
  const sent = readableFields(kind).filter(([name]) => intent.sent[name] !== undefined);
  return sent.length > 0 && sent.every(([name, field]) => recalls(field, intent.sent[name], live.spec[name]));
}
