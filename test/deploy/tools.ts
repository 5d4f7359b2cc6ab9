import { prometheus } from "../../scripts/test-servers.js";
import { type Ended, execute, type Surroundings } from "../installing.js";

/** Runs promtool until it exits. */
export function promtool(args: readonly string[], given: Surroundings): Promise<Ended> {
  return execute(prometheus.program("promtool") ?? "promtool", args, given);
}
