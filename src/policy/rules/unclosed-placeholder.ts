import { unclosedPlaceholders } from "../../manifest/index.js";
import { type Rule, subjectOf, textsOf } from "../rule.js";

/*
 * Without its brace `${name` is no placeholder: the avatar reads it aloud, or the service refuses the session.
 */
export const unclosedPlaceholder: Rule<"unclosed-placeholder"> = (declaration) =>
  textsOf(declaration)
    .filter(({ isProse }) => isProse)
    .flatMap(({ path, text }) =>
      unclosedPlaceholders(text).map((placeholder) => ({
        path,
        message: `${subjectOf(declaration, path)} has an unclosed placeholder: ${placeholder.text}`,
        hint: 'close it with "}" on the same line',
        part: { start: placeholder.start, end: placeholder.start + placeholder.text.length },
      })),
    );
