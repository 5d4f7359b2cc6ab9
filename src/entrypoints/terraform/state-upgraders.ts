import type { StateUpgrader, Value } from "@avatarops/terraform-plugin";
import { toCanonicalId } from "../../base/text/index.js";

/**
 * Upgrades states of earlier schema versions (see `Resource`). Do not change an upgrader after its release. Each
 * version has a state in `test/terraform/states`.
 */
export const stateUpgraders: readonly StateUpgrader[] = [lowerCaseIds];

/** Upgrades version 0, from before the first release. Its ids have the letter case of the configuration. */
function lowerCaseIds(state: Parameters<StateUpgrader>[0]): ReturnType<StateUpgrader> {
  const entries = Object.entries(state).map(([name, value]): [string, Value] => [
    name,
    typeof value === "string" && /(^|_)id$/.test(name) ? toCanonicalId(value) : value,
  ]);
  return Object.fromEntries(entries);
}
