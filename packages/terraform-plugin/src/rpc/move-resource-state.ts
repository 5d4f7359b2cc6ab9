import type { Rpcs } from "../protocol/rpcs.js";
import { DiagnosticError } from "./error-diagnostic.js";
import { respond } from "./respond.js";
import type { Session } from "./session.js";

/** Refuses to move. Only a Terraform that ignores our capabilities asks for it. */
export function moveResourceState(session: Session<unknown>): Rpcs["MoveResourceState"] {
  return ({ sourceTypeName, targetTypeName }) =>
    respond(session, "MoveResourceState", targetTypeName, () => {
      throw new DiagnosticError(
        "The resource cannot be moved to another type",
        `A ${sourceTypeName} cannot become a ${targetTypeName} by a \`moved\` block. Use a \`removed\` block for the one and an \`import\` block for the other.`,
      );
    });
}
