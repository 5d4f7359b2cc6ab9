import { matchesWildcard } from "../../manifest/index.js";
import { type Rule, subjectOf, type Violation } from "../rule.js";

export const namePatterns: Rule<"name-patterns"> = (declaration, { names, keys }) => {
  const { kind, key, spec } = declaration;
  const found: Violation[] = [];
  const label = spec[kind.label];
  if (names && typeof label === "string" && !matchesOne(label, names)) {
    const path = [kind.label];
    const message = `${subjectOf(declaration, path)} ${JSON.stringify(label)} matches no allowed pattern`;
    found.push({ path, message, hint: `the patterns are ${names.join(", ")}` });
  }
  if (keys && !matchesOne(key, keys)) {
    const message = `${declaration.address} has a logical name that matches no allowed pattern`;
    found.push({ path: [], message, hint: `the patterns are ${keys.join(", ")}` });
  }
  return found;
};

function matchesOne(text: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesWildcard(text, pattern));
}
