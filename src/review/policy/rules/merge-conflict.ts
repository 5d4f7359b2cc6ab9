import { conflictHint, findConflictMarkers } from "../../../base/text/index.js";
import { listTexts, type Rule, type Violation } from "../rule.js";

/* YAML with conflict markers does not parse, but a prompt can be any text, so the avatar would follow both sides. */
export const findConflict: Rule<"merge-conflict"> = (declaration) =>
  listTexts(declaration).flatMap(({ path, text }): Violation[] => {
    const part = findConflictMarkers(text);
    const message = "contains git conflict markers";
    return part ? [{ path, message, hint: conflictHint, part }] : [];
  });
