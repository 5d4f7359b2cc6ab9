import { type Kind, type Live, readableFields } from "../kinds/index.js";
import type { LostCreate } from "../lifecycle/index.js";
import type { Intent } from "../state/index.js";
import { matchesStored } from "./stored-form.js";

/** What an intent says about the object that a create made, if it did. */
export function madeBy(kind: Kind, intent: Intent, claimed: ReadonlySet<string>): LostCreate {
  return {
    label: intent.label,
    at: intent.at,
    isForeign: (id) => intent.known.includes(id) || claimed.has(id),
    matches: (live) => wasSent(kind, intent, live),
  };
}

/** Whether the live object equals what the intent sent. */
export function wasSent(kind: Kind, intent: Intent, live: Live): boolean {
  const sent = readableFields(kind).filter(([name]) => intent.sent[name] !== undefined);
  return (
    sent.length > 0 && sent.every(([name, field]) => matchesStored(field, intent.sent[name], live.spec[name]))
  );
}
