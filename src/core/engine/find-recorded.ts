import type { Service } from "../api/index.js";
import { type ProfileName, parseAddress } from "../kinds/index.js";
import type { State } from "../state/index.js";
import { openListReader } from "./listings.js";
import { mapConcurrent, maxConcurrentReads } from "./map-concurrent.js";

/** Addresses of recorded objects, by whether the account has their ids. */
export interface RecordedLookup {
  readonly found: readonly string[];
  readonly missing: readonly string[];
  /** Addresses of kinds that the service does not show. */
  readonly unknown: readonly string[];
}

/**
 * Looks for the recorded ids in the account. Sends nothing but GET.
 *
 * @throws ServiceError if the service cannot be read.
 */
export async function findRecorded(
  service: Service,
  { objects }: Pick<State, "objects">,
  profile: ProfileName | undefined,
): Promise<RecordedLookup> {
  const list = openListReader(service);
  const seen = await mapConcurrent(maxConcurrentReads, Object.entries(objects), async ([address, { id }]) => {
    const kind = parseAddress(address, profile)?.kind;
    if (kind?.list && (await list(kind, { fresh: false })).byId.has(id)) return { address, isThere: true };
    return { address, isThere: kind?.read && (await kind.read(service, id)) !== undefined };
  });
  const those = (isThere: boolean | undefined) =>
    seen.filter((one) => one.isThere === isThere).map(({ address }) => address);
  return { found: those(true), missing: those(false), unknown: those(undefined) };
}
