import type { SourceFile } from "../../../base/diagnostics/index.js";
import { kinds, listWriteOnlyFields } from "../../kinds/index.js";
import { sourceNames } from "../../secrets/index.js";
import { toCamelCase, toFunctionName } from "../forms/spelling.js";
import type { DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import type { YamlPart } from "../tree/yaml-tree.js";

/** Keys whose values are always secrets. */
export const secretKeys: ReadonlySet<string> = new Set([
  "api_key",
  "fingerprint_key",
  "livekit_client_token",
  ...kinds.flatMap(listWriteOnlyFields),
]);

/** Redacts possible secrets in invalid YAML, from the key of a secret to the next key at the same or a lower depth. */
export function redactSecretLines({ source, ...part }: YamlPart, collector: DiagnosticsCollector): void {
  const secret = new RegExp(`\\b(?:${[...secretKeys].join("|")})\\b["']?[ \\t]*:`, "g");
  let hidden: { readonly start: number; depth: number } | undefined;
  let lineStart = part.start;
  for (const line of source.text.slice(part.start, part.end).split("\n")) {
    const depth = measureDepth(line);
    if (hidden && depth !== undefined && depth <= hidden.depth) {
      collector.redact({ source, start: hidden.start, end: lineStart - 1 });
      hidden = undefined;
    }
    const blanks = line.search(/[^ \t]|$/);
    for (const { index, 0: written } of line.matchAll(secret)) {
      hidden ??= { start: lineStart + index + written.length, depth: blanks };
      hidden.depth = Math.min(hidden.depth, blanks);
    }
    lineStart += line.length + 1;
  }
  if (hidden) collector.redact({ source, start: hidden.start, end: part.end });
}

/** Redacts possible literal secrets in code: from each property with a secret's name to the end of its line. */
export function redactSecretsInCode(source: SourceFile, collector: DiagnosticsCollector): void {
  const names = [...secretKeys].map(toCamelCase).join("|");
  const calls = sourceNames.map((name) => `${toFunctionName(name)}\\(`).join("|");
  const literal = new RegExp(`\\b(?:${names})\\b["']?\\s*[:=]\\s*(?!${calls})(?=\\S)[^\\n]*`, "g");
  for (const { index, 0: found } of source.text.matchAll(literal)) {
    const start = index + (/^\w+["']?\s*[:=]/.exec(found)?.[0].length ?? 0);
    collector.redact({ source, start, end: index + found.length });
  }
}

/** Returns the column of a line's first key, after blanks and dashes. Dashes directly before a word belong to the word. */
function measureDepth(line: string): number | undefined {
  const depth = /^(?:[ \t-]*[ \t])?/.exec(line)?.[0].length ?? 0;
  const key = /["']?[\w.-]+["']?[ \t]*:/y;
  key.lastIndex = depth;
  return key.test(line) ? depth : undefined;
}
