import type { DiagnosticsDocument, ShownDiagnostic } from "../../src/output/documents/index.js";
import { startProject } from "../cli/hosting.js";

/** Runs `validate`. Returns one line for each diagnostic, with the marked text. */
export async function validate(
  files: Readonly<Record<string, string>>,
  ...argv: string[]
): Promise<readonly string[]> {
  const project = await startProject({ files });
  const { exit, stdout } = await project.avatarops("validate", "--format", "json", ...argv);
  const { diagnostics, policies = [], valid } = JSON.parse(stdout) as DiagnosticsDocument;
  if (valid !== (exit === 0)) throw new Error(`exit ${exit}, and valid is ${valid}`);
  return sortByFile([...diagnostics, ...policies]).map(formatLine);
}

function formatLine({ severity, code, location, message }: ShownDiagnostic): string {
  if (!location) return `${severity} ${code}: ${message}`;
  const { file, line, column, length, text } = location;
  return `${severity} ${code} at ${file}:${line}:${column} ${JSON.stringify(text.slice(column - 1, column - 1 + length))}`;
}

/** Returns the files for a project with one context in YAML. */
export function createProjectFiles(policies: string, context = ""): Record<string, string> {
  return {
    "avatarops.yaml": `policies:
${indent(policies, 2)}
contexts:
  support:
    name: Support desk
${indent(context, 4)}`,
  };
}

function indent(text: string, by: number): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : " ".repeat(by) + line))
    .join("\n");
}

function sortByFile(diagnostics: readonly ShownDiagnostic[]): readonly ShownDiagnostic[] {
  const key = ({ location }: ShownDiagnostic) => location?.file ?? "";
  return diagnostics.toSorted(
    (a, b) => key(a).localeCompare(key(b)) || (a.location?.line ?? 0) - (b.location?.line ?? 0),
  );
}
