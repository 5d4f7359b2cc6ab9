import type { Service } from "../api/index.js";
import { type ProfileName, parseAddress } from "../kinds/index.js";
import type { State } from "../state/index.js";
import { openListReader } from "./listings.js";
import { mapConcurrent, maxConcurrentReads } from "./map-concurrent.js";

/** Addresses of recorded objects, grouped by whether they still exist in the account. */
export interface RecordedLookup {
  readonly found: readonly string[];
  readonly missing: readonly string[];
  /** Objects that the service cannot return. */
  readonly unknown: readonly string[];
}

/**
 * Looks for the recorded ids in the account.
 *
 * @throws ServiceError if an object cannot be read.
 */
export async function findRecorded(
  service: Service,
  { objects }: Pick<State, "objects">,
  profile: ProfileName | undefined,
): Promise<RecordedLookup> {
  const lookup = { found: [] as string[], missing: [] as string[], unknown: [] as string[] };
  const list = openListReader(service);
  await mapConcurrent(maxConcurrentReads, Object.entries(objects), async ([address, { id }]) => {
    const kind = parseAddress(address, profile)?.kind;
    const listed = kind?.list && (await list(kind, { fresh: false })).findById(id).outcome;
    if (listed === "found") lookup.found.push(address);
    else if (kind?.read) lookup[(await kind.read(service, id)) ? "found" : "missing"].push(address);
    else lookup[listed === "absent" ? "missing" : "unknown"].push(address);
  });
  return lookup;
}
