import { conflictHint, findConflictMarkers } from "../../../base/text/index.js";
import { listTexts, type Rule, type Violation } from "../rule.js";

/* YAML with conflict markers does not parse, but a prompt accepts any text, and the avatar would read both sides. */
export const findConflict: Rule<"merge-conflict"> = (declaration) =>
  listTexts(declaration).flatMap(({ path, text }): Violation[] => {
    const part = findConflictMarkers(text);
    const message = "has git's conflict markers, which the avatar would read";
    return part ? [{ path, message, hint: conflictHint, part }] : [];
  });
