import type { StateUpgrader, Value } from "@avatarops/terraform-plugin";
import { toCanonicalId } from "../../base/text/index.js";

/**
 * What brings the states of earlier schema versions to the present one; see `Resource`. An upgrader never changes once it is
 * released. Each version has a state in `test/terraform/states`.
 */
export const stateUpgraders: readonly StateUpgrader[] = [lowerCaseIds];

/** Version 0, before the first release, has ids in the letter case of the configuration; later versions in the service's. */
function lowerCaseIds(state: Parameters<StateUpgrader>[0]): ReturnType<StateUpgrader> {
  const entries = Object.entries(state).map(([name, value]): [string, Value] => [
    name,
    typeof value === "string" && /(^|_)id$/.test(name) ? toCanonicalId(value) : value,
  ]);
  return Object.fromEntries(entries);
}
