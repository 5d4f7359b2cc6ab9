import type { SourceFile } from "../../../base/diagnostics/index.js";
import { kinds, writeOnlyFields } from "../../kinds/index.js";
import { sourceNames } from "../../secrets/index.js";
import { camelCase, functionName } from "../forms/spelling.js";
import type { DiagnosticsCollector } from "../tree/diagnostics-collector.js";

/** The keys whose values are secrets, wherever they are. */
export const secretKeys: ReadonlySet<string> = new Set([
  "api_key",
  "fingerprint_key",
  "livekit_client_token",
  ...kinds.flatMap(writeOnlyFields),
]);

/** Redacts what may be a literal secret in code: after the name of each property that takes one. */
export function redactSecretsInCode(source: SourceFile, collector: DiagnosticsCollector): void {
  const names = [...secretKeys].map(camelCase).join("|");
  const calls = sourceNames.map((name) => `${functionName(name)}\\(`).join("|");
  const literal = new RegExp(`\\b(?:${names})\\b["']?\\s*[:=]\\s*(?!${calls})(?=\\S)[^\\n]*`, "g");
  for (const { index, 0: found } of source.text.matchAll(literal)) {
    const start = index + (/^\w+["']?\s*[:=]/.exec(found)?.[0].length ?? 0);
    collector.redact({ source, start, end: index + found.length });
  }
}
