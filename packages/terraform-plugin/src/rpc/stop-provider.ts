import type { Rpcs } from "../protocol/rpcs.js";
import type { Session } from "./session.js";

/** Aborts the calls under way: the user has asked Terraform to stop. */
export function stopProvider({ log }: Session<unknown>, stop: () => void): Rpcs["StopProvider"] {
  return async () => {
    stop();
    log("debug", "StopProvider");
    return {};
  };
}
