import type { Manifest } from "../manifest/index.js";
import type { State } from "../state/index.js";
import { type Change, type ExceededThreshold, isWithheld, type Notice } from "./plan-types.js";

/*
 * Guards against a wrong file, environment or merge. An apply that would change or remove a large share of the managed
 * objects needs `--allow threshold`.
 */

/** Returns the plan's object counts and limits if it exceeds the threshold. */
export function findExceededThreshold(
  { thresholds }: Pick<Manifest, "thresholds">,
  state: State | undefined,
  changes: readonly Change[],
  overwriteDrift: boolean,
): ExceededThreshold | undefined {
  const counted = changes.filter((change) => !isWithheld(change, overwriteDrift));
  const owners = countOwners(changes);
  const numbers = {
    managed: Object.keys(state?.objects ?? {}).length,
    changed: counted.filter((change) => isChanged(change, state)).length,
    removed: counted.filter((change) => isRemoved(change, owners)).length,
  };
  const share = numbers.changed + numbers.removed;
  const { maxPercent, minObjects } = thresholds;
  if (numbers.managed < minObjects || share * 100 <= maxPercent * numbers.managed) return undefined;
  return { ...numbers, ...thresholds };
}

export function createThresholdNotice({ managed, changed, removed, maxPercent }: ExceededThreshold): Notice {
  const parts = [
    ...(changed > 0 ? [`changes ${changed}`] : []),
    ...(removed > 0 ? [`removes ${removed}`] : []),
  ].join(" and ");
  const percent = Math.floor(((changed + removed) * 1000) / managed) / 10;
  return {
    code: "threshold",
    message: `The plan ${parts} of ${managed} managed objects (${percent}%), but the threshold is ${maxPercent}%.`,
  };
}

/** Returns whether a change updates, supersedes or replaces an object. Changes to the state alone do not count. */
function isChanged({ action, wanted, reason, address }: Change, state: State | undefined): boolean {
  if (action === "update") return wanted !== undefined;
  if (action === "supersede") return true;
  return action === "adopt" && reason === "reidentified" && state?.objects[address] !== undefined;
}

/** Counts the changes to each object, by lower-case id. */
function countOwners(changes: readonly Change[]): ReadonlyMap<string, number> {
  const owners = new Map<string, number>();
  for (const { id } of changes) {
    const key = id?.toLowerCase();
    if (key !== undefined) owners.set(key, (owners.get(key) ?? 0) + 1);
  }
  return owners;
}

/** Returns whether a change removes an object. An object that another address takes over is not removed. */
function isRemoved({ action, id }: Change, owners: ReadonlyMap<string, number>): boolean {
  if (action === "delete") return true;
  return action === "forget" && (owners.get(id?.toLowerCase() ?? "") ?? 0) < 2;
}
