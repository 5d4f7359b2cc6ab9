import { StateError } from "./state-error.js";

/** Turns the parsed file of one version into that of the next. */
export type Upgrade = (old: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** The version this program writes. */
const currentVersion = 1;

/** By the version they start from: the upgrade of 1 makes a version 2 of it. None yet. */
const upgrades: ReadonlyMap<number, Upgrade> = new Map();

/**
 * Brings the parsed file to the current version, one step a version. A value that says no version is left as it is:
 * the check of the shape says what is wrong with it.
 *
 * @throws StateError `newer-version` for a file of a later avatarops: it may say things we would lose.
 */
export function upgrade(parsed: unknown, file: string, to = currentVersion, steps = upgrades): unknown {
  let value = parsed;
  for (let from = versionOf(value); from !== undefined && from !== to; from = versionOf(value)) {
    if (from > to) throw newer(file, from);
    const step = steps.get(from);
    if (!step) return value;
    value = { ...step(value as Readonly<Record<string, unknown>>), version: from + 1 };
  }
  return value;
}

/** The refusal of a file that a later version wrote. */
export function newer(file: string, version: number): StateError {
  return new StateError(
    "newer-version",
    file,
    `${file} was written by a newer avatarops (version ${version}); upgrade avatarops to use it.`,
  );
}

function versionOf(value: unknown): number | undefined {
  if (typeof value !== "object" || value === null || !("version" in value)) return undefined;
  return Number.isInteger(value.version) ? (value.version as number) : undefined;
}
