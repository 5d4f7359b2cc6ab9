import type { DiagnosticsDocument, ShownDiagnostic } from "../../src/output/documents/index.js";
import { startProject } from "../cli/hosting.js";

/** What `validate` says of a project: each diagnostic in a line, with the part of the text that has the caret. */
export async function validated(
  files: Readonly<Record<string, string>>,
  ...argv: string[]
): Promise<readonly string[]> {
  const project = await startProject({ files });
  const { exit, stdout } = await project.avatarops("validate", "--format", "json", ...argv);
  const { diagnostics, policies = [], valid } = JSON.parse(stdout) as DiagnosticsDocument;
  if (valid !== (exit === 0)) throw new Error(`exit ${exit}, and valid is ${valid}`);
  return inFileOrder([...diagnostics, ...policies]).map(inOneLine);
}

function inOneLine({ severity, code, place, message }: ShownDiagnostic): string {
  if (!place) return `${severity} ${code}: ${message}`;
  const { file, line, column, length, text } = place;
  return `${severity} ${code} at ${file}:${line}:${column} ${JSON.stringify(text.slice(column - 1, column - 1 + length))}`;
}

/** A project with one context in YAML. */
export function projectWith(policies: string, context = ""): Record<string, string> {
  return {
    "avatarops.yaml": `policies:
${indented(policies, 2)}
contexts:
  support:
    name: Support desk
${indented(context, 4)}`,
  };
}

function indented(text: string, by: number): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : " ".repeat(by) + line))
    .join("\n");
}

function inFileOrder(diagnostics: readonly ShownDiagnostic[]): readonly ShownDiagnostic[] {
  const key = ({ place }: ShownDiagnostic) => place?.file ?? "";
  return diagnostics.toSorted(
    (a, b) => key(a).localeCompare(key(b)) || (a.place?.line ?? 0) - (b.place?.line ?? 0),
  );
}
