import { existsSync } from "node:fs";
import path from "node:path";
import { type Diagnostic, openSourceFile } from "../../../base/diagnostics/index.js";
import { documentKind, objectSchema, type Spec } from "../../kinds/index.js";
import { loadParser } from "../../templates/index.js";
import { type ParsedFile, redactSecrets } from "../sources/redact.js";
import { toDiagnostics } from "../sources/to-diagnostics.js";
import { createCollector, type DiagnosticsCollector } from "../tree/diagnostics-collector.js";
import { emptyMap, entriesIn, nodeAt } from "../tree/node.js";
import { noFiles, projectFiles } from "../tree/project-files.js";
import type { Templates } from "../tree/reading.js";
import { readMarkdownFile } from "./gather.js";
import { isBroken, openTemplates } from "./templates.js";
import { readRecord } from "./values.js";

export interface ReadDocument {
  /** The declared fields; undefined if there are errors. */
  readonly spec?: Spec;
  readonly diagnostics: readonly Diagnostic[];
}

/** What a template outside any project is made with. */
export interface TemplateContext {
  /** The absolute folder that the file's path begins at. */
  readonly cwd: string;
  /** Values by name: with them, the file is a template. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/**
 * Reads one Markdown file on its own, outside any project: messages call it `file`.
 *
 * @param context without it, a template is refused.
 */
export async function readDocument(
  file: string,
  text: string,
  context?: TemplateContext,
): Promise<ReadDocument> {
  const collector = createCollector();
  const files = noFiles((_written, from) => {
    collector.error("wrong-tag", "!file is not allowed here", from, "write the text itself");
    return undefined;
  });
  const outside = context && openOutside(file, context, collector);
  const parsed: ParsedFile[] = [];
  const root = readMarkdownFile(openSourceFile(outside?.name ?? file, text), { collector, parsed });
  redactSecrets(parsed, collector);
  const { kind } = documentKind;
  const [entry] = entriesIn(root?.entries.get(kind.collection)?.value).values();
  const body = entry && nodeAt(entry.value, [documentKind.body]);
  const isTemplate = body?.is === "scalar" && body.template;
  if (isTemplate && !context)
    collector.error("template-here", "a template is not composed here", body, "read it from its file");
  if (isTemplate || context?.variables) await loadParser();
  const reading = { files, collector, templates: outside?.templates };
  const record = entry && readRecord(entry.value, entry.range, kind.name, objectSchema(kind), reading);
  const diagnostics = outside?.diagnostics() ?? toDiagnostics(collector);
  return record && !collector.hasErrors ? { spec: record.values as Spec, diagnostics } : { diagnostics };
}

/**
 * The text that a whole file makes as a template, outside any project; undefined if it has errors. What reads templates is
 * loaded already.
 */
export function composeFile(
  file: string,
  text: string,
  context: TemplateContext,
): { readonly text: string | undefined; readonly diagnostics: readonly Diagnostic[] } {
  const collector = createCollector();
  const { name, templates, diagnostics } = openOutside(file, context, collector);
  const source = openSourceFile(name, text);
  const made = templates.find(source, emptyMap(source));
  return { text: made && !isBroken(made) ? made.text : undefined, diagnostics: diagnostics() };
}

/** A file outside any project. Its partials are in the nearest folder `partials`, beside it or above it. */
function openOutside(file: string, { cwd, variables }: TemplateContext, collector: DiagnosticsCollector) {
  const own = path.dirname(path.resolve(cwd, file));
  const hasPartials = (folder: string) => existsSync(path.join(folder, "partials"));
  let root = own;
  while (!hasPartials(root) && root !== path.dirname(root)) root = path.dirname(root);
  if (!hasPartials(root)) root = own;
  const shown = path.isAbsolute(file) ? root : path.relative(cwd, root);
  const settings = { variables: {}, templates: [], partials: "partials" };
  const reading = { collector, files: projectFiles(root, collector) };
  const { find } = openTemplates(settings, emptyMap(openSourceFile("", "")), reading);
  return {
    /** Relative to the root. */
    name: path.relative(root, path.resolve(cwd, file)),
    templates: { find: (source, node) => find(source, node, variables) } satisfies Templates,
    /** With places as they are seen from `cwd`. */
    diagnostics: () =>
      toDiagnostics(collector).map(
        ({ place, ...rest }): Diagnostic =>
          place ? { ...rest, place: { ...place, file: path.join(shown, place.file) } } : rest,
      ),
  };
}
