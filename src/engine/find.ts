import type { Service } from "../api/index.js";
import { type Kind, type Listed, type Live, readableFields } from "../kinds/index.js";
import type { Intent } from "../state/index.js";
import { momentOf } from "./moment.js";
import type { KindRoll } from "./observation.js";
import { recalls } from "./remember.js";

/**
 * Finding what a lost create made (rule 2). The answer never came, so the object is looked up by what is known of
 * it: the exact name, an id that did not have the name before, a creation time not before the request, and the
 * content that was sent. Exactly one such object is ours. One with the name but other content may be ours, altered
 * by the service or by someone since, or not ours at all: only the user can tell.
 */
export type Finding =
  | { readonly found: Live }
  | { readonly found: undefined; readonly candidates: readonly Listed[] };

/** Clocks of a service's machines may differ by so much. */
const clockSkewMs = 60_000;

/** Looks for what an intent of creation made, in a complete list. */
export async function findMade(
  service: Service,
  kind: Kind,
  intent: Intent,
  roll: Pick<KindRoll, "byLabel">,
  claimed: ReadonlySet<string>,
): Promise<Finding> {
  const namesakes = roll.byLabel.get(intent.label) ?? [];
  const candidates = namesakes.filter((one) => couldBeNew(one, intent, claimed));
  const lives = await Promise.all(candidates.map((one) => one.live ?? kind.read?.(service, one.id)));
  const same = lives.filter((live) => live && wasSent(kind, intent, live));
  return same.length === 1 && same[0] ? { found: same[0] } : { found: undefined, candidates };
}

/** Whether the live object is what the intent sent. */
export function wasSent(kind: Kind, intent: Intent, live: Live): boolean {
  const sent = readableFields(kind).filter(([name]) => intent.sent[name] !== undefined);
  return sent.length > 0 && sent.every(([name, field]) => recalls(field, intent.sent[name], live.spec[name]));
}

function couldBeNew(one: Listed, intent: Intent, claimed: ReadonlySet<string>): boolean {
  if (intent.known.includes(one.id) || claimed.has(one.id)) return false;
  const made = momentOf(one.createdAt);
  return Number.isNaN(made) || made >= Date.parse(intent.at) - clockSkewMs;
}
