/*
 * Recognizes literal secrets in Terraform expressions. Prefers to miss one over refusing a valid expression: names, paths,
 * formats and indexes are also quoted strings.
 */

/** Functions that read from outside the configuration or take a name: `file("key")`, `provider::sops::file("key")`. */
const takesNames = /::|\b(?:file\w*|templatefile|lookup)\(/;

/** Returns whether an expression is a literal, or contains text that looks like a key. */
export function containsLiteral(expression: string): boolean {
  if (!expression.includes("${")) return true;
  const outside = [
    expression.slice(0, expression.indexOf("${")),
    expression.slice(expression.lastIndexOf("}") + 1),
  ];
  if (outside.some(looksLikeKey)) return true;
  if (takesNames.test(expression)) return false;
  const quoted = listQuoted(expression);
  // Without a reference, the result is constant.
  return (quoted.length > 0 && listReferences(expression).length === 0) || quoted.some(looksLikeKey);
}

/** Returns the references in an expression, such as `var.key` or `data.vault_secret`. */
export function listReferences(expression: string): string[] {
  // A string with an interpolation may contain references.
  const code = expression.replace(quotedPattern, (quoted) => (quoted.includes("${") ? quoted : '""'));
  const references = (code.match(/[\w.-]+/g) ?? []).flatMap((word) => {
    const [first = "", second] = word.split(".");
    return /^[A-Za-z_]/.test(first) && second ? [`${first}.${second}`] : [];
  });
  return [...new Set(references)];
}

const quotedPattern = /"(?:[^"\\]|\\.)*"?/gs;

/** Returns the quoted strings in an expression, except indexes such as `keys["llm-production"]`. */
function listQuoted(expression: string): string[] {
  return [...expression.matchAll(quotedPattern)]
    .filter(({ index }) => !(expression[index - 1] === "[" && /[\w)\]]/.test(expression[index - 2] ?? "")))
    .map(([quoted]) => quoted);
}

/** Prefixes of secret keys of model providers and code hosts. Ids, which may be next to a secret, have none of them. */
const keyPattern = /(?:\b(?:sk|gsk|xai|hf|r8|gh[pousr]|github_pat|glpat)[-_]|AIza)[\w-]{16,}/g;

/** Returns whether a text contains what looks like a complete key, and not like a name such as `sk-production`. */
function looksLikeKey(text: string): boolean {
  return (text.match(keyPattern) ?? []).some((key) => /\d/.test(key));
}
