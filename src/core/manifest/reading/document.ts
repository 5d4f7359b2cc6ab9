import { type Diagnostic, openSource } from "../../../base/diagnostics/index.js";
import { createValidator, documentKind, type Spec } from "../../kinds/index.js";
import { type ParsedFile, redactSecrets } from "../sources/redact.js";
import { toDiagnostics } from "../sources/to-diagnostics.js";
import { createCollector } from "../tree/diagnostics-collector.js";
import { entriesIn, nodeAt } from "../tree/node.js";
import { noFiles } from "../tree/project-files.js";
import { readMarkdownFile } from "./gather.js";
import { readRecord } from "./values.js";

export interface ReadDocument {
  /** The declared fields; undefined if there are errors. */
  readonly spec?: Spec;
  readonly diagnostics: readonly Diagnostic[];
}

const templateHint = "write the finished text, which `avatarops render` prints";

/** Reads one Markdown file on its own, outside any project: messages call it `file`. */
export function readDocument(file: string, text: string): ReadDocument {
  const collector = createCollector();
  const files = noFiles((_written, from) => {
    collector.error("wrong-tag", "!file is not allowed here", from, "write the text itself");
    return undefined;
  });
  const parsed: ParsedFile[] = [];
  const root = readMarkdownFile(openSource(file, text), { collector, parsed });
  redactSecrets(parsed, collector);
  const { kind } = documentKind;
  const [entry] = entriesIn(root?.entries.get(kind.collection)?.value).values();
  const body = entry && nodeAt(entry.value, [documentKind.body]);
  if (body?.is === "scalar" && body.template)
    collector.error("template-here", "a template is not composed here", body, templateHint);
  const reading = { files, collector };
  const record = entry && readRecord(entry.value, entry.range, kind.name, {}, createValidator(kind), reading);
  const diagnostics = toDiagnostics(collector);
  return record && !collector.hasErrors ? { spec: record.values as Spec, diagnostics } : { diagnostics };
}
