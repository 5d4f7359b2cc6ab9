import type { SourceRange } from "../../../base/diagnostics/index.js";
import type { ValueProblem } from "../../kinds/index.js";
import type { DiagnosticsCollector } from "./diagnostics-collector.js";
import { markdownParts } from "./markdown.js";
import { type Node, nodeAt, rangeAt } from "./node.js";
import type { FieldPath } from "./to-plain.js";

/** Reports what a form finds wrong with the value of a node, each at its place; `declared` is that of the whole. */
export function reportProblems(
  problems: readonly ValueProblem[],
  node: Node,
  declared: SourceRange,
  collector: DiagnosticsCollector,
): void {
  for (const { code, message, path, hint } of problems) {
    const range = code === "unknown-field" ? keyRange(declared, node, path) : rangeAt(declared, node, path);
    const advice = code === "missing-field" && isBareMarkdown(range) ? frontMatterAdvice : hint;
    collector.error(code, message, range, advice);
  }
}

const frontMatterAdvice =
  "begin the file with front matter that has it, or if it is not an object, keep it out of `include`";

/** Whether a place is in a Markdown file without front matter, such as a README beside the prompts. */
function isBareMarkdown({ source }: SourceRange): boolean {
  return /\.md$/i.test(source.file) && markdownParts(source).frontMatter === undefined;
}

function keyRange(declared: SourceRange, node: Node, path: FieldPath): SourceRange {
  const owner = nodeAt(node, path.slice(0, -1));
  return (owner?.is === "map" && owner.entries.get(String(path.at(-1)))?.range) || declared;
}
