import { head } from "./document.js";
import type { ProposalFacts } from "./drift-document.js";

export type RollbackDocument = ReturnType<typeof rollbackDocument>;

/** The pull request of a rollback: the serial of the state whose texts it brings back, and what became of it. */
export function rollbackDocument(serial: number, pullRequest: ProposalFacts) {
  return { ...head("rollback"), serial, pull_request: pullRequest };
}
