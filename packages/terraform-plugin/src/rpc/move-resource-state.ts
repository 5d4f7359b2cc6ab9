import { DiagnosticError } from "./error-diagnostic.js";
import type { Handler } from "./respond.js";

/** Refuses to move. Only a Terraform that ignores our capabilities asks for it. */
export const moveResourceState: Handler<"MoveResourceState"> = (_, { sourceTypeName, targetTypeName }) => {
  throw new DiagnosticError(
    "The resource cannot be moved to another type",
    `A ${sourceTypeName} cannot become a ${targetTypeName} by a \`moved\` block. Use a \`removed\` block for the one and an \`import\` block for the other.`,
  );
};
