import path from "node:path";
import type { SourceRange } from "../../base/diagnostics/index.js";
import { conflictIn, type DiagnosticsCollector, reportConflict } from "../manifest/index.js";
import { parseFrames } from "./call-site.js";
import type { Places } from "./places.js";

/** An error of a running file: reported at its place, or at `fallback`. */
export function reportFailure(
  error: unknown,
  file: string,
  {
    collector,
    places,
    fallback,
  }: { collector: DiagnosticsCollector; places: Places; fallback: SourceRange | undefined },
): void {
  const errorText = error instanceof Error ? error.message : String(error);
  const syntax = syntaxErrorIn(errorText);
  if (syntax) {
    const { what, place, line, column } = syntax;
    const range = places.locate([{ file: place, line, column: column + 1 }]);
    const conflict = range && conflictIn({ ...range, start: 0, end: range.source.text.length });
    if (conflict) {
      reportConflict(conflict, collector);
      return;
    }
    collector.error("typescript-syntax", `this is not valid TypeScript: ${lowered(what)}`, range ?? fallback);
    return;
  }
  const missing = missingImportIn(errorText);
  if (missing) {
    const { specifier, from } = missing;
    const range = places.find(from, JSON.stringify(specifier)) ?? places.find(from, `'${specifier}'`);
    const [name = ""] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
    const hint =
      /^[./]/.test(specifier) || path.isAbsolute(specifier)
        ? "correct the path"
        : `run \`npm install ${name}\``;
    collector.error("missing-import", `${specifier} cannot be found`, range ?? fallback, hint);
    return;
  }
  const kind = error instanceof Error ? error.name : "a value that is not an error";
  const [said = ""] = errorText.split("\n");
  const frames = parseFrames(error);
  // Nodes of one version cannot contain those of every other version.
  const mixed =
    error instanceof TypeError && /[\\/]node_modules[\\/]constructs[\\/]/.test(frames[0]?.file ?? "");
  const hint = mixed ? "two versions of constructs may be in use: see `npm ls constructs`" : undefined;
  const message = `${file} threw ${kind}: ${said.slice(0, 300)}`;
  collector.error("definition-threw", message, places.locate(frames) ?? fallback, hint);
}

/** `ParseError: what`, followed by the place. */
function syntaxErrorIn(message: string) {
  const [, what] = /^ParseError: ([^\n]*)\n/.exec(message) ?? [];
  const [, place = "", line, column] =
    what === undefined
      ? []
      : (/^ (.+):(\d+):(\d+)$/.exec(message.slice(message.lastIndexOf("\n") + 1)) ?? []);
  return what === undefined || place === ""
    ? undefined
    : { what: what.trimEnd(), place, line: Number(line), column: Number(column) };
}

/** The missing module, and the file that imports it. */
function missingImportIn(message: string) {
  const at = `\n${message}`.search(/\nCannot find (?:module|package) '/);
  if (at === -1) return undefined;
  const [, specifier] = /'([^'\n]+)'/.exec(message.slice(at)) ?? [];
  const [, from] = /(?:Require stack:\n- | imported from )([^\n]+)/.exec(message.slice(at)) ?? [];
  return specifier === undefined || from === undefined ? undefined : { specifier, from };
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "");
}
