import type { Listed, ListPower, Roll } from "./kind.js";
import { showsFineClock } from "./settled.js";

/** What a list told of one kind. */
export interface KindRoll {
  readonly listed: readonly Listed[];
  readonly byId: ReadonlyMap<string, Listed>;
  /** Names need not be unique. */
  readonly byLabel: ReadonlyMap<string, readonly Listed[]>;
  /** Objects of this kind in the account; undefined where the list does not tell. */
  readonly count?: number;
  readonly complete: boolean;
  readonly unstable: boolean;
  /** Some stamp in it shows that the service's clock ticks at least every millisecond; see `isSettled`. */
  readonly fineClock: boolean;
}

/** What a list tells of one of the kinds that share it. */
export function tellAll(power: ListPower, roll: Roll): KindRoll {
  const listed = roll.entries.map((entry) => power.tell(entry)).filter((entry) => entry !== undefined);
  const byLabel = new Map<string, Listed[]>();
  for (const entry of listed) {
    const namesakes = byLabel.get(entry.label);
    if (namesakes) namesakes.push(entry);
    else byLabel.set(entry.label, [entry]);
  }
  return {
    listed,
    byId: new Map(listed.map((entry) => [entry.id, entry])),
    byLabel,
    ...(power.exhaustive ? { count: roll.count } : {}),
    complete: roll.complete,
    unstable: roll.unstable === true,
    fineClock: listed.some(({ updatedAt }) => showsFineClock(updatedAt)),
  };
}
