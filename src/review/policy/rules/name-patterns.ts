import { matchesWildcard } from "../../../core/manifest/index.js";
import type { Rule, Violation } from "../rule.js";

export const namePatterns: Rule<"name-patterns"> = ({ kind, key, spec }, { names, keys }) => {
  const found: Violation[] = [];
  const label = spec[kind.label];
  if (names && typeof label === "string" && !matchesOne(label, names)) {
    const message = `${JSON.stringify(label)} matches no allowed pattern`;
    found.push({ path: [kind.label], message, hint: `the patterns are ${names.join(", ")}` });
  }
  if (keys && !matchesOne(key, keys)) {
    const message = "has a logical name that matches no allowed pattern";
    found.push({ path: [], message, hint: `the patterns are ${keys.join(", ")}` });
  }
  return found;
};

function matchesOne(text: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesWildcard(text, pattern));
}
