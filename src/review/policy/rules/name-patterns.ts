import { matchesWildcard } from "../../../core/manifest/index.js";
import type { Rule, Violation } from "../rule.js";

export const checkNames: Rule<"name-patterns"> = ({ kind, key, spec }, { names, keys }) => {
  const found: Violation[] = [];
  const label = spec[kind.label];
  if (names && typeof label === "string" && !matchesAny(label, names)) {
    const message = `${JSON.stringify(label)} matches none of the allowed patterns`;
    found.push({ path: [kind.label], message, hint: `the allowed patterns are ${names.join(", ")}` });
  }
  if (keys && !matchesAny(key, keys)) {
    const message = "has a key that matches none of the allowed patterns";
    found.push({ path: [], message, hint: `the allowed patterns are ${keys.join(", ")}` });
  }
  return found;
};

function matchesAny(text: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesWildcard(text, pattern));
}
