import type { Diagnostic, Diagnostics, Path } from "../diagnostic.js";
import type { AttributePath, Diagnostic as WireDiagnostic } from "../protocol/messages.js";
import type { MessageInput } from "../protocol/protobuf.js";
import { formatPath } from "../values/value-error.js";

/** Diagnostics in the order they were reported. */
export interface DiagnosticList extends Diagnostics {
  readonly all: readonly Diagnostic[];
  add(diagnostic: Diagnostic): void;
  hasErrors(): boolean;
}

export function createDiagnosticList(): DiagnosticList {
  const all: Diagnostic[] = [];
  const report = (severity: Diagnostic["severity"]): Diagnostics["error"] => {
    return (summary, detail, path) => void all.push({ severity, summary, ...(detail && { detail }), path });
  };
  return {
    all,
    error: report("error"),
    warning: report("warning"),
    add: (diagnostic) => void all.push(diagnostic),
    hasErrors: () => all.some(({ severity }) => severity === "error"),
  };
}

export function encodeDiagnostic({
  severity,
  summary,
  detail = "",
  path = [],
}: Diagnostic): DiagnosticMessage {
  const known = cutToLine(path);
  const prefix = known.length < path.length ? formatPath(path) + (detail && ": ") : "";
  return {
    severity,
    summary,
    detail: prefix + detail,
    ...(path.length > 0 && { attribute: encodePath(known) }),
  };
}

type DiagnosticMessage = MessageInput<typeof WireDiagnostic>;

export function encodePath(path: Path): MessageInput<typeof AttributePath> {
  return {
    steps: path.map((step) => {
      if (typeof step === "string") return { attributeName: step };
      return typeof step === "number" ? { elementKeyInt: step } : { elementKeyString: step.key };
    }),
  };
}

/**
 * Returns the part of a path that Terraform can map to a line. For a deeper path, Terraform would show only the first
 * line of the block.
 */
function cutToLine(path: Path): Path {
  return path.slice(0, typeof path[1] === "string" ? 1 : 2);
}
