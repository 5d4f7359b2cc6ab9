import { closedPlaceholders } from "../../../core/manifest/index.js";
import { judgeProse, listTexts, type Rule } from "../rule.js";
import { withoutCode } from "./code.js";
import { fold } from "./conflicting-placeholders.js";

/*
 * The service fills `${name}` only. Other braces are reported where one name stands alone in them. So are no examples of
 * JSON, whose braces hold quotes, colons or nothing; nor formulas and patterns, where a letter or a backslash comes before
 * (`\frac{a}`, `x{n}`); nor paths (`/orders/{id}`); nor code. Names that the object has as `${name}`, too, are left to
 * conflicting-placeholders.
 */
export const foreignPlaceholder: Rule<"foreign-placeholder"> = (declaration) => {
  const filled = new Set(
    listTexts(declaration).flatMap(({ text, isProse }) =>
      isProse ? closedPlaceholders(text).map(({ name }) => fold(name)) : [],
    ),
  );
  return judgeProse(declaration, (text) =>
    Array.from(withoutCode(text).matchAll(pattern)).flatMap(({ index, 0: written, 1: double, 2: single }) => {
      const name = double ?? single ?? "";
      if (filled.has(fold(name))) return [];
      const hint = `write \${${name}}, or put it in backticks if it is an example`;
      const part = { start: index, end: index + written.length };
      return [{ message: `has ${written}, which is never filled in`, hint, part }];
    }),
  );
};

const pattern =
  /(?<![\w$\\/{}^])(?:\{\{ {0,3}([A-Za-z_][\w.-]{0,62}\w) {0,3}\}\}|\{([A-Za-z_][\w-]{0,62}\w)\})(?![{}])/g;
