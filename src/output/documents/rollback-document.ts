import { createHead } from "./document.js";
import type { ProposalFacts } from "./drift-document.js";

export type RollbackDocument = ReturnType<typeof toRollbackDocument>;

/** Creates the document for the pull request of a rollback. */
export function toRollbackDocument(serial: number, pullRequest: ProposalFacts) {
  return { ...createHead("rollback"), serial, pull_request: pullRequest };
}
