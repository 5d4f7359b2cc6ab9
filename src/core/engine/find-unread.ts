import type { Action } from "../kinds/index.js";
import type { Rotation } from "./observation.js";
import type { Change, FieldChange } from "./plan-value.js";

/** Problems of a source that are the same for everybody who reads it. */
const absent: ReadonlySet<string> = new Set([
  "not-found",
  "outside-project",
  "unreadable",
  "too-long",
  "malformed",
]);

/** Whether the value of a change could be read. */
export function findUnread(
  rotation: Rotation | undefined,
  action: Action,
  fields: readonly FieldChange[],
): Pick<Change, "unread"> {
  const problem = rotation && "problem" in rotation ? rotation.problem : undefined;
  if (!problem) return {};
  const isSent = fields.some(({ type }) => type === "write-only");
  if (!isSent && action !== "keep") return {};
  // What is unset here may be set where it is applied; to be sent, it has to be.
  const isMissing = absent.has(problem.code) || (isSent && problem.code === "unset");
  return { unread: isMissing ? "missing" : "unknown" };
}
