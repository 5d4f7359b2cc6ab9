import { findNearest } from "../../../base/diagnostics/index.js";
import { findClosedPlaceholders, findUnclosedPlaceholders } from "../../../core/manifest/index.js";
import { judgePrompt, judgeProse, type Rule, type TextFinding } from "../rule.js";

export const checkPlaceholders: Rule<"placeholders"> = (declaration, { required = [], allowed }) => [
  ...judgePrompt(declaration, (text) => findMissing(text, required)),
  ...(allowed ? judgeProse(declaration, (text) => findUnknown(text, [...required, ...allowed])) : []),
];

function findMissing(text: string, required: readonly string[]): TextFinding[] {
  const names = new Set(findClosedPlaceholders(text).map(({ name }) => name));
  return required
    .filter((name) => !names.has(name))
    .map((name) => ({
      message: `lacks the required placeholder \${${name}}`,
      hint: "add it where the value should appear",
    }));
}

function findUnknown(text: string, known: readonly string[]): TextFinding[] {
  return findClosedPlaceholders(text)
    .filter(({ name }) => !known.includes(name))
    .map(({ name, start, end }) => {
      const nearest = findNearest(name, known);
      const names =
        known.length > 0
          ? `the allowed names are ${known.join(", ")}`
          : "remove it, because no placeholder is allowed";
      const hint = nearest ? `did you mean \${${nearest}}?` : names;
      return {
        message: `contains the placeholder \${${name}}, which is not allowed`,
        hint,
        part: { start, end },
      };
    });
}

/*
 * `${name` without its closing brace is not a placeholder. The avatar would read it aloud, or the service would reject
 * the session.
 */
export const checkUnclosedPlaceholders: Rule<"unclosed-placeholder"> = (declaration) =>
  judgeProse(declaration, (text) =>
    findUnclosedPlaceholders(text).map((placeholder) => ({
      message: `has an unclosed placeholder: ${placeholder.text}`,
      hint: 'close it with "}" on the same line',
      part: { start: placeholder.start, end: placeholder.start + placeholder.text.length },
    })),
  );
