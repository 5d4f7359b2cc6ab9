import type { Diagnostic } from "../../base/diagnostics/index.js";
import { toSnakeCase } from "../../base/text/index.js";
import { listFindings, type ShownFinding } from "./diagnostics-document.js";
import { createHead, type Head } from "./document.js";

/** Error from a failed command. */
export interface ErrorDocument extends Head<"error"> {
  /** Stable code in kebab-case. `bug` is a failed internal assertion, and `unexpected` is any error without a code. */
  readonly code: string;
  readonly message: string;
  /** Error details, such as method, path and status. */
  readonly facts: Readonly<Record<string, string | number | boolean>>;
  /** Error causes, direct cause first. */
  readonly causes: readonly { readonly code?: string; readonly message: string }[];
  /** Policy findings, only with the code `policy`. */
  readonly policies?: readonly ShownFinding[];
}

export function toErrorDocument(error: unknown): ErrorDocument {
  return {
    ...createHead("error"),
    code: getOwnCode(error) ?? (toMessage(error).startsWith("Bug:") ? "bug" : "unexpected"),
    message: toMessage(error),
    facts: pickPublicFacts(error),
    causes: listCauses(error),
    policies: error instanceof PolicyError ? error.findings : undefined,
  };
}

function getOwnCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the properties of our own errors, recognized by their kebab-case codes. Other errors may contain secrets. */
function pickPublicFacts(error: unknown): Record<string, string | number | boolean> {
  if (!(error instanceof Error) || !/^[a-z]+(-[a-z]+)*$/.test(getOwnCode(error) ?? "")) return {};
  const { code, name, message, stack, ...facts } = error as Error & { code: string };
  return Object.fromEntries(
    Object.entries(facts as Readonly<Record<string, unknown>>).flatMap(([key, value]) =>
      typeof value === "string" || typeof value === "number" || typeof value === "boolean"
        ? [[toSnakeCase(key), value]]
        : [],
    ),
  );
}

function listCauses(error: unknown): { code?: string; message: string }[] {
  const causes: { code?: string; message: string }[] = [];
  const seen = new Set([error]);
  let next = error instanceof Error ? error.cause : undefined;
  while (next !== undefined && next !== null && !seen.has(next)) {
    seen.add(next);
    causes.push({ code: getOwnCode(next), message: toMessage(next) });
    next = next instanceof Error ? next.cause : undefined;
  }
  return causes;
}

/** Error thrown before an apply if the plan violates policies. */
export class PolicyError extends Error {
  override readonly name = "PolicyError";
  readonly code = "policy";
  /** Findings for the plan, including warnings. */
  readonly findings: readonly ShownFinding[];

  constructor(diagnostics: readonly Diagnostic[]) {
    const rules = new Set(diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code));
    super(`Nothing was applied: the plan violates policies (${[...rules].join(", ")}).`);
    this.findings = listFindings(diagnostics) ?? [];
  }
}
