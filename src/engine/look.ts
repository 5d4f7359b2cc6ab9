import { type Service, ServiceError } from "../api/index.js";
import { type Finding, isSettled, type Kind, type KindRoll, type Live, type Spec } from "../kinds/index.js";
import { candidatesOf, type Observed } from "./observation.js";
import { type Refresh, trusts } from "./rolls.js";
import { type Claims, labelOf, type Sought } from "./sought.js";

/** What looking at one object needs. */
export interface Look {
  readonly service: Service;
  readonly refresh: Refresh;
  /** What the list of its kind told, where it has one. */
  readonly roll?: KindRoll;
  readonly claims: Claims;
  /** What came of looking for what its unanswered create made. */
  readonly finding?: Finding;
  /** The whole list of a kind, for where `roll` is not. */
  readonly wholeRoll: (kind: Kind) => Promise<KindRoll | undefined>;
  /** When reading began, by the service's clock. */
  readonly askedAtMs: number;
}

/** Looks at one declared object. */
export async function look(input: Look, one: Sought): Promise<Observed> {
  const { finding, roll } = input;
  if (finding?.found) return { ...asLive(input, one, finding.found), recovered: true };
  if (finding && finding.candidates.length > 0)
    return { seen: "unclear", candidates: candidatesOf(finding.candidates) };
  // What it made may be there and have slipped through the list; or there is no list to find it in.
  if (finding && (!roll || roll.unstable)) return { seen: "unclear", candidates: [] };
  return one.id === undefined ? find(input, one) : watch(input, one, one.id);
}

/** An object whose id is known. */
async function watch(input: Look, one: Sought, id: string): Promise<Observed> {
  const { kind } = one.declaration;
  const listed = input.roll?.byId.get(id);
  if (listed?.live && input.refresh === "auto") return asLive(input, one, listed.live);
  const unmoved = listed?.updatedAt !== undefined && listed.updatedAt === one.entry?.inSyncAt;
  if (unmoved && trusts(one, input.refresh)) return { seen: "unmoved" };
  if (!kind.read) return listed?.live ? asLive(input, one, listed.live) : { seen: "unobservable" };
  // Also where a complete list lacks it: a list that changes while it is read may have lost it.
  const live = await kind.read(input.service, id).catch(async (error: unknown) => {
    // A page of HTML may come from anywhere on the way. Together with a list that lacks the object, it is believed.
    if (!isNotFound(error) || !(await isUnlisted(input, kind, id))) throw error;
  });
  return live ? asLive(input, one, live) : { seen: "absent" };
}

function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "not-found";
}

/** Whether a list of all objects lacks it. */
async function isUnlisted({ roll, wholeRoll }: Look, kind: Kind, id: string): Promise<boolean> {
  if (!kind.list?.exhaustive) return false;
  const whole = roll?.complete ? roll : await wholeRoll(kind);
  return whole?.complete === true && !whole.unstable && !whole.byId.has(id);
}

/** An object without an id: adopted if exactly one in the account has its exact name, and it alone is after it. */
export async function find(input: Look, one: Sought): Promise<Observed> {
  const { claims, roll, service } = input;
  const { kind } = one.declaration;
  const label = labelOf(one.declaration);
  const matches = (roll?.byLabel.get(label) ?? []).filter(({ id }) => !claims.ids.has(id));
  const [match] = matches;
  if (!match) return { seen: "nothing" };
  const rivals = claims.labels.get(`${kind.name} ${label}`) ?? 0;
  if (matches.length > 1 || rivals > 1) return { seen: "several", candidates: candidatesOf(matches) };
  const live = match.live ?? (await kind.read?.(service, match.id));
  return live ? asLive(input, one, live) : { seen: "nothing" };
}

function asLive({ askedAtMs, roll }: Look, { declaration }: Sought, live: Live) {
  return {
    seen: "live" as const,
    live: { ...live, spec: sharing(live.spec, declaration.spec) },
    settled: isSettled(live.updatedAt, askedAtMs, roll?.fineClock),
  };
}

/** The same spec, holding the declared string wherever it is equal: ten thousand prompts are then held once. */
function sharing(live: Spec, declared: Spec): Spec {
  const entries = Object.entries(live).map(([name, value]) => [
    name,
    value === declared[name] ? declared[name] : value,
  ]);
  return Object.fromEntries(entries);
}
