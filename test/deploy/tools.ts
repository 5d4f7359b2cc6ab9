import path from "node:path";
import { tools } from "../../scripts/tools.js";
import { type Ended, execute, type Surroundings } from "../installing.js";

/** Runs promtool until it exits. */
export function runPromtool(args: readonly string[], given: Surroundings): Promise<Ended> {
  return execute(path.join(tools.prometheus.path, "promtool"), args, given);
}
