import { nearest } from "../../diagnostics/index.js";
import { documentKind } from "../../kinds/index.js";
import { closedPlaceholders, type Declaration } from "../../manifest/index.js";
import { type Rule, subjectOf, textsOf, type Violation } from "../rule.js";

export const placeholders: Rule<"placeholders"> = (declaration, { required = [], allowed }) => [
  ...missing(declaration, required),
  ...(allowed ? unknown(declaration, [...required, ...allowed]) : []),
];

function missing(declaration: Declaration, required: readonly string[]): Violation[] {
  const path = [documentKind.body];
  const text = declaration.spec[documentKind.body];
  if (declaration.kind !== documentKind.kind || typeof text !== "string") return [];
  const names = new Set(closedPlaceholders(text).map(({ name }) => name));
  return required
    .filter((name) => !names.has(name))
    .map((name) => {
      const message = `${subjectOf(declaration, path)} has no placeholder \${${name}}, which is required`;
      return { path, message, hint: "add it where its value belongs" };
    });
}

function unknown(declaration: Declaration, known: readonly string[]): Violation[] {
  return textsOf(declaration)
    .filter(({ isProse }) => isProse)
    .flatMap(({ path, text }) =>
      closedPlaceholders(text)
        .filter(({ name }) => !known.includes(name))
        .map(({ name, start, end }) => {
          const meant = nearest(name, known);
          const hint = meant ? `did you mean \${${meant}}?` : `the names are ${known.join(", ") || "none"}`;
          const message = `${subjectOf(declaration, path)} has the placeholder \${${name}}, which is not allowed`;
          return { path, message, hint, part: { start, end } };
        }),
    );
}
