import { StateError } from "./state-error.js";

/** Converts the parsed file of one version to the next version. */
export type Upgrade = (old: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** The version this program writes. */
const currentVersion = 1;

/** Keyed by the version they start from: upgrade 1 makes version 2. None yet. */
const upgrades: ReadonlyMap<number, Upgrade> = new Map();

/**
 * Upgrades the parsed file to the current version, step by step. Leaves a value without a version as it is:
 * the schema check reports what is wrong with it.
 *
 * @throws StateError `newer-version` for a file of a later avatarops, which may contain facts that we would
 * lose.
 */
export function upgrade(parsed: unknown, file: string, to = currentVersion, steps = upgrades): unknown {
  let value = parsed;
  for (let from = readVersion(value); from !== undefined && from !== to; from = readVersion(value)) {
    if (from > to) throw newer(file, from);
    const step = steps.get(from);
    if (!step) return value;
    value = { ...step(value as Readonly<Record<string, unknown>>), version: from + 1 };
  }
  return value;
}

/** The error for a file that a later version wrote. */
export function newer(file: string, version: number): StateError {
  return new StateError(
    "newer-version",
    file,
    `${file} was written by a newer avatarops (version ${version}); upgrade avatarops to use it.`,
  );
}

function readVersion(value: unknown): number | undefined {
  if (typeof value !== "object" || value === null || !("version" in value)) return undefined;
  return Number.isInteger(value.version) ? (value.version as number) : undefined;
}
