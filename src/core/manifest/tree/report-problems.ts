import type { SourceRange } from "../../../base/diagnostics/index.js";
import type { ValueProblem } from "../../kinds/index.js";
import type { DiagnosticsCollector } from "./diagnostics-collector.js";
import { splitMarkdown } from "./markdown.js";
import { findNodeAt, findRangeAt, type Node } from "./node.js";
import type { FieldPath } from "./to-plain.js";

/**
 * Reports problems that the validation of a node found, each at its own range. `declared` is the range of the object.
 */
export function reportProblems(
  problems: readonly ValueProblem[],
  node: Node,
  declared: SourceRange,
  collector: DiagnosticsCollector,
): void {
  for (const { code, message, path, hint } of problems) {
    const range =
      code === "unknown-field" ? findKeyRange(declared, node, path) : findRangeAt(declared, node, path);
    const advice = code === "missing-field" && isBareMarkdown(range) ? frontMatterAdvice : hint;
    collector.error(code, message, range, advice);
  }
}

const frontMatterAdvice =
  "add it to front matter at the start of the file, or exclude the file from `include` if it does not declare an object";

/** Returns whether a range is in a Markdown file without front matter, such as a README next to the prompts. */
function isBareMarkdown({ source }: SourceRange): boolean {
  return /\.md$/i.test(source.file) && splitMarkdown(source).frontMatter === undefined;
}

function findKeyRange(declared: SourceRange, node: Node, path: FieldPath): SourceRange {
  const owner = findNodeAt(node, path.slice(0, -1));
  return (owner?.is === "map" && owner.entries.get(String(path.at(-1)))?.range) || declared;
}
