import { resolve } from "node:path";
import * as parser from "@handlebars/parser";
import { readRegularSync } from "../../base/files/index.js";
import { composeFile } from "../../core/manifest/index.js";
import { useParser } from "../../core/templates/index.js";
import { formatDiagnostic, ManifestError } from "./manifest.js";

/**
 * The text of a prompt in a file, like YAML's `!file`: byte for byte, except that line ends are read as line
 * feeds and the last one is removed, because editors add it. A path is relative to the folder in which the
 * app runs.
 *
 * @param variables with them, the file is a template: texts for `{{name}}`, by name. `{{> tone}}` is the file
 * `partials/tone.md`, where `partials` is the nearest folder of that name beside the file or above it.
 * @throws Error that names the file, if it cannot be read or is not UTF-8 text; ManifestError if it has errors as a
 * template.
 */
export function promptFile(path: string, variables?: Readonly<Record<string, string>>): string {
  const text = textIn(path);
  if (variables) return composed(path, text, variables);
  return text.replace(/\r+\n?/g, (end) => (end.endsWith("\n") ? "\n" : end)).replace(/\n$/, "");
}

function composed(path: string, text: string, variables: Readonly<Record<string, string>>): string {
  useParser(parser);
  const made = composeFile(path, text, { cwd: resolve(), variables });
  if (made.text !== undefined) return made.text;
  throw new ManifestError(path, made.diagnostics.map(formatDiagnostic));
}

function textIn(path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readRegularSync(path));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why =
      code === "ENOENT" || code === "ENOTDIR"
        ? `there is no file ${resolve(path)}. Paths begin at the folder in which the app runs`
        : code === "ERR_ENCODING_INVALID_ENCODED_DATA"
          ? "it is not UTF-8 text. Save it as UTF-8"
          : message;
    throw new Error(`promptFile(${JSON.stringify(path)}): ${why}.`, { cause });
  }
}
