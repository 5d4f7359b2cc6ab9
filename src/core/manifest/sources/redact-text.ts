import type { Source } from "../../../base/diagnostics/index.js";
import { kinds, writeOnlyFields } from "../../kinds/index.js";
import { sourceNames } from "../../secrets/index.js";
import { camelCase, functionName } from "../forms/spelling.js";
import type { DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import type { YamlPart } from "../tree/yaml-tree.js";

/** The keys whose values are secrets, wherever they are. */
export const secretKeys: ReadonlySet<string> = new Set([
  "api_key",
  "fingerprint_key",
  "livekit_client_token",
  ...kinds.flatMap(writeOnlyFields),
]);

/** Redacts what may be a secret in a text that is not valid YAML, by its lines. */
export function redactSecretLines(part: YamlPart, collector: DiagnosticsCollector): void {
  const text = part.source.text.slice(0, part.end);
  const key = new RegExp(`\\b(?:${[...secretKeys].join("|")})\\b["']?[ \\t]*:`, "g");
  const found = [...text.matchAll(key)].filter(({ index }) => index >= part.start);
  const ends = findEnds(
    text,
    found.map(({ index }) => index),
  );
  for (const [i, { index, 0: written }] of found.entries()) {
    collector.redact({ source: part.source, start: index + written.length, end: ends[i] ?? text.length });
  }
}

/** Redacts what may be a literal secret in code: after the name of each property that takes one. */
export function redactSecretsInCode(source: Source, collector: DiagnosticsCollector): void {
  const names = [...secretKeys].map(camelCase).join("|");
  const calls = sourceNames.map((name) => `${functionName(name)}\\(`).join("|");
  const literal = new RegExp(`\\b(?:${names})\\b["']?\\s*[:=]\\s*(?!${calls})(?=\\S)[^\\n]*`, "g");
  for (const { index, 0: found } of source.text.matchAll(literal)) {
    const start = index + (/^\w+["']?\s*[:=]/.exec(found)?.[0].length ?? 0);
    collector.redact({ source, start, end: index + found.length });
  }
}

/**
 * For each place, in order, the start of the next line whose key is not deeper than the place's own line.
 * Finds all in one pass from the end: the candidate lines are kept in the order of their depth.
 */
function findEnds(text: string, places: readonly number[]): number[] {
  const ends: number[] = [];
  const next: { start: number; depth: number }[] = [];
  let lineEnd = text.length;
  for (let i = places.length - 1; lineEnd >= 0; ) {
    const lineStart = lineEnd === 0 ? 0 : text.lastIndexOf("\n", lineEnd - 1) + 1;
    const depth = measureDepth(text, lineStart);
    while (i >= 0 && (places[i] ?? 0) >= lineStart) {
      ends[i] = lastUpTo(Math.min(depth.blanks, (places[i] ?? 0) - lineStart), next) ?? text.length;
      i--;
    }
    if (depth.key !== undefined) {
      while ((next.at(-1)?.depth ?? -1) >= depth.key) next.pop();
      next.push({ start: lineStart - 1, depth: depth.key });
    }
    if (lineStart === 0) break;
    lineEnd = lineStart - 1;
  }
  return ends;
}

/** Binary search: the start of the deepest line not deeper than `depth`, among lines in the order of their depth. */
function lastUpTo(depth: number, lines: readonly { start: number; depth: number }[]): number | undefined {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.depth ?? 0) <= depth) low = middle + 1;
    else high = middle;
  }
  return lines[low - 1]?.start;
}

/** The number of leading blanks of a line; and the depth of its key after blanks and dashes, if it starts with one. */
function measureDepth(text: string, lineStart: number): { blanks: number; key: number | undefined } {
  const isBlank = (at: number) => text.charAt(at) === " " || text.charAt(at) === "\t";
  let at = lineStart;
  while (isBlank(at)) at++;
  const blanks = at - lineStart;
  // Dashes directly before a word belong to it.
  let word = at;
  for (; isBlank(at) || text.charAt(at) === "-"; at++) if (isBlank(at)) word = at + 1;
  const key = /["']?[\w.-]+["']?[ \t]*:/y;
  key.lastIndex = word;
  return { blanks, key: key.test(text) ? word - lineStart : undefined };
}
