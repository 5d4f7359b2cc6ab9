import { createHead } from "./document.js";
import type { ProposalFacts } from "./drift-document.js";

export type RollbackDocument = ReturnType<typeof toRollbackDocument>;

/** Pull request of a rollback, with the serial whose texts it restores. */
export function toRollbackDocument(serial: number, pullRequest: ProposalFacts) {
  return { ...createHead("rollback"), serial, pull_request: pullRequest };
}
