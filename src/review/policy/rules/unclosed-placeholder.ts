import { unclosedPlaceholders } from "../../../core/manifest/index.js";
import { judgeProse, type Rule } from "../rule.js";

/*
 * Without its brace `${name` is no placeholder: the avatar reads it aloud, or the service refuses the session.
 */
export const unclosedPlaceholder: Rule<"unclosed-placeholder"> = (declaration) =>
  judgeProse(declaration, (text) =>
    unclosedPlaceholders(text).map((placeholder) => ({
      message: `has an unclosed placeholder: ${placeholder.text}`,
      hint: 'close it with "}" on the same line',
      part: { start: placeholder.start, end: placeholder.start + placeholder.text.length },
    })),
  );
