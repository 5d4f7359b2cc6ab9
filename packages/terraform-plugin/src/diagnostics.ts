import type { Diagnostic, Path, Report } from "./diagnostic.js";
import type { AttributePath, Diagnostic as WireDiagnostic } from "./messages.js";
import type { Draft } from "./protobuf.js";
import { pathText } from "./value-error.js";

/** Diagnostics in the order they were told. */
export interface OpenReport extends Report {
  readonly diagnostics: readonly Diagnostic[];
  add(diagnostic: Diagnostic): void;
  hasErrors(): boolean;
}

export function openReport(): OpenReport {
  const diagnostics: Diagnostic[] = [];
  const tell = (severity: Diagnostic["severity"]): Report["error"] => {
    return (summary, detail, path) =>
      void diagnostics.push({ severity, summary, ...(detail && { detail }), ...(path && { path }) });
  };
  return {
    diagnostics,
    error: tell("error"),
    warning: tell("warning"),
    add: (diagnostic) => void diagnostics.push(diagnostic),
    hasErrors: () => diagnostics.some(({ severity }) => severity === "error"),
  };
}

/** A diagnostic as it is sent. */
export function sentDiagnostic({ severity, summary, detail = "", path = [] }: Diagnostic): Wire {
  const known = withLine(path);
  const place = known.length < path.length ? `${detail && "\n\n"}It is about ${pathText(path)}.` : "";
  return {
    severity,
    summary,
    detail: detail + place,
    ...(path.length > 0 && { attribute: sentPath(known) }),
  };
}

type Wire = Draft<typeof WireDiagnostic>;

export function sentPath(path: Path): Draft<typeof AttributePath> {
  return {
    steps: path.map((step) => {
      if (typeof step === "string") return { attributeName: step };
      return typeof step === "number" ? { elementKeyInt: step } : { elementKeyString: step.key };
    }),
  };
}

/** As much of a path as the core finds a line for: of one that leads deeper, it shows the head of the whole block. */
function withLine(path: Path): Path {
  return path.slice(0, typeof path[1] === "string" ? 1 : 2);
}
