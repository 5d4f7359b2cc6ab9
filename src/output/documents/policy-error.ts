import type { Diagnostic } from "../../base/diagnostics/index.js";
import { findingsIn, type ShownFinding } from "./diagnostics-document.js";

/** The plan breaks rules of the policies, and nothing was applied. */
export class PolicyError extends Error {
  override readonly name = "PolicyError";
  readonly code = "policy";
  /** Those of the plan, warnings included. */
  readonly findings: readonly ShownFinding[];

  constructor(diagnostics: readonly Diagnostic[]) {
    const rules = new Set(diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code));
    super(`Nothing was applied: policies refuse the plan (${[...rules].join(", ")}).`);
    this.findings = findingsIn(diagnostics) ?? [];
  }
}
