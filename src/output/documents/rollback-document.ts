import { createHead } from "./document.js";
import type { ProposalFacts } from "./drift-document.js";

export type RollbackDocument = ReturnType<typeof toRollbackDocument>;

export function toRollbackDocument(serial: number, pullRequest: ProposalFacts) {
  return { ...createHead("rollback"), serial, pull_request: pullRequest };
}
