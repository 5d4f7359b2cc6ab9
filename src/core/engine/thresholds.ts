import { kindNamed } from "../kinds/index.js";
import type { Manifest, Threshold } from "../manifest/index.js";
import type { State } from "../state/index.js";
import { type Change, type ExceededThreshold, isLeftAlone, type Notice } from "./plan-value.js";

/*
 * A safety net against the wrong file, environment or merge: an apply that would change or remove a large
 * share of what is managed needs to be forced. What is new to us does not count: nothing is lost by it.
 */

/** What of the plan is above a threshold: of all kinds together, then of those with numbers of their own. */
export function exceededThresholds(
  { thresholds, drift }: Pick<Manifest, "thresholds" | "drift">,
  state: State | undefined,
  changes: readonly Change[],
  overwriteDrift = drift === "overwrite",
): ExceededThreshold[] {
  const managed = Object.keys(state?.objects ?? {}).map(readKindName);
  const counted = changes.filter((change) => !isLeftAlone(change, overwriteDrift));
  const changed = counted.filter((change) => isChanged(change, state)).map(({ kind }) => kind);
  const removed = counted.filter((change) => isRemoved(change, changes)).map(({ kind }) => kind);
  const own = Object.entries(thresholds.kinds);
  const others = (kind: string) => !(kind in thresholds.kinds);
  const groups: [Threshold, (kind: string) => boolean, string?][] = [
    [thresholds, others],
    ...own.map(([name, threshold]): [Threshold, (kind: string) => boolean, string] => [
      threshold,
      (kind) => kind === name,
      name,
    ]),
  ];
  return groups.flatMap(([{ maxPercent, minObjects }, isMeant, kind]) => {
    const count = (kinds: readonly string[]) => kinds.filter(isMeant).length;
    const numbers = { managed: count(managed), changed: count(changed), removed: count(removed) };
    const share = numbers.changed + numbers.removed;
    if (numbers.managed < minObjects || share * 100 <= maxPercent * numbers.managed) return [];
    return [{ ...(kind !== undefined && { kind }), ...numbers, maxPercent, minObjects }];
  });
}

/** The notice of an exceeded threshold, with the numbers. */
export function thresholdNotice(exceeded: ExceededThreshold): Notice {
  const { kind, managed, changed, removed, maxPercent } = exceeded;
  const objects = kind === undefined ? "objects" : (kindNamed(kind)?.collection ?? kind);
  const parts = [
    ...(changed > 0 ? [`changes ${changed}`] : []),
    ...(removed > 0 ? [`removes ${removed}`] : []),
  ].join(" and ");
  const percent = Math.floor(((changed + removed) * 1000) / managed) / 10;
  return {
    code: "threshold",
    message: `The plan ${parts} of ${managed} managed ${objects} (${percent} %), and the threshold is ${maxPercent} %: apply needs --force.`,
  };
}

/** Updates, supersedes, and objects given up for others. A change of only our record sends nothing. */
function isChanged({ action, wanted, reason, address }: Change, state: State | undefined): boolean {
  if (action === "update") return wanted !== undefined;
  if (action === "supersede") return true;
  return action === "adopt" && reason === "reidentified" && state?.objects[address] !== undefined;
}

/** What another address takes over is not removed. */
function isRemoved({ action, id, address }: Change, changes: readonly Change[]): boolean {
  if (action === "delete") return true;
  return action === "forget" && !changes.some((other) => other.address !== address && id && other.id === id);
}

function readKindName(address: string): string {
  return address.slice(0, address.indexOf("."));
}
