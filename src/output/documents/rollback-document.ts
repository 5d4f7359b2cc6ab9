import { head } from "./document.js";
import type { ProposalFacts } from "./drift-document.js";

export type RollbackDocument = ReturnType<typeof rollbackDocument>;

/** Pull request of a rollback, with the serial whose texts it restores. */
export function rollbackDocument(serial: number, pullRequest: ProposalFacts) {
  return { ...head("rollback"), serial, pull_request: pullRequest };
}
