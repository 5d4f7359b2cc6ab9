import { conflictHint, findConflictMarkers } from "../../../base/text/index.js";
import { listTexts, type Rule, type Violation } from "../rule.js";

/* Conflict markers are a syntax error in YAML, but not in a prompt file, so the avatar would follow both sides. */
export const findConflict: Rule<"merge-conflict"> = (declaration) =>
  listTexts(declaration).flatMap(({ path, text }): Violation[] => {
    const part = findConflictMarkers(text);
    const message = "contains git conflict markers";
    return part ? [{ path, message, hint: conflictHint, part }] : [];
  });
