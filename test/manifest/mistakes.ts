import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { runIn } from "../cli/hosting.js";
import { createProjectFolder } from "./project.js";

export interface Mistake {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  /** Arguments to the command that reports the mistake. */
  readonly argv: readonly string[];
}

/**
 * Returns the mistakes in a golden file. Each starts with `### title`. Project files follow after `-- path --`, and
 * the output follows after `-- avatarops … --`. A ␍ stands for a carriage return.
 */
export function readMistakes(golden: string): Mistake[] {
  const [, ...texts] = readFileSync(golden, "utf8").split(/^### /m);
  return texts.map((text) => {
    const [what = "", ...parts] = text.split(/^-- (.+) --\n/m);
    const names = parts.filter((_, at) => at % 2 === 0);
    const contents = parts.filter((_, at) => at % 2 === 1);
    const files = names.slice(0, -1).map((name, at) => [name, (contents[at] ?? "").replaceAll("␍", "\r")]);
    return {
      what: what.trim(),
      files: Object.fromEntries(files),
      argv: (names.at(-1) ?? "").split(" ").slice(1),
    };
  });
}

/**
 * Asserts that each mistake is reported with the location, length, redacted line and fix in the golden file.
 * test/render covers the layout of diagnostics.
 * @param expand Converts a file's text in the golden file to its text in the project.
 */
export async function expectReports(golden: string, expand = (text: string) => text): Promise<string> {
  const shown: string[] = [];
  const outputs: string[] = [];
  for (const { what, files, argv } of readMistakes(golden)) {
    const entries = Object.entries(files);
    const root = createProjectFolder(Object.fromEntries(entries.map(([file, text]) => [file, expand(text)])));
    const { stdout } = await runIn(root, [...argv, "--format", "json"]);
    outputs.push(stdout);
    const texts = entries.map(([file, text]) => `-- ${file} --\n${text.replaceAll("\r", "␍")}`).join("");
    const diagnostics = (JSON.parse(stdout) as { diagnostics: Diagnostic[] }).diagnostics.map(
      formatDiagnostic,
    );
    shown.push(`### ${what}\n${texts}-- avatarops ${argv.join(" ")} --\n${diagnostics.join("")}\n`);
  }
  await expect(shown.join("")).toMatchFileSnapshot(golden);
  return outputs.join("");
}

interface Diagnostic {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly location?: { file: string; line: number; column: number; length: number; text: string };
  readonly hint?: string;
}

function formatDiagnostic({ severity, code, message, location, hint }: Diagnostic): string {
  const at = location ? `${location.file}:${location.line}:${location.column}+${location.length} ` : "";
  const hidden = location?.text.includes("…") ? `  | ${location.text.trim()}\n` : "";
  return `${at}${severity}[${code}] ${message}\n${hidden}${hint ? `  ${hint}\n` : ""}`;
}
