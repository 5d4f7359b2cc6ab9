import path from "node:path";
import type {
  DiagnosticsDocument,
  ErrorDocument,
  PlanDocument,
  ProjectEnvironment,
  ProjectResult,
  ProjectsDocument,
} from "../documents/index.js";
import { type Block, gap, heading, name, ours, paragraph, type Words, words } from "./blocks.js";
import { blocksMarkdown } from "./blocks-markdown.js";
import { blocksText } from "./blocks-text.js";
import { diagnosticCounts, number, planCounts } from "./phrases.js";
import type { TextOptions } from "./span.js";

/** The line above what a command says of one of several projects. */
export function renderProjectHeading(
  { project, environment }: ProjectEnvironment,
  text: TextOptions | "markdown",
): string {
  const chosen = environment === undefined ? [] : words` (${name(environment, "strong")})`;
  const blocks = [heading(ours("Project "), name(project, "strong"), ...chosen)];
  return text === "markdown" ? blocksMarkdown(blocks, {}).slice(1) : `\n${blocksText(blocks, text)}`;
}

/** A result in one line. */
export function resultCounts(document: PlanDocument | DiagnosticsDocument | ErrorDocument): string {
  if (document.format === "avatarops/plan") return planCounts(document);
  return document.format === "avatarops/error" ? document.message : diagnosticCounts(document.summary);
}

/** The results of all, each in one line. */
export function projectsBlocks({ projects, changed_since, unchanged, deleted }: ProjectsDocument): Block[] {
  const since = changed_since === undefined ? [] : words` since ${name(changed_since.slice(0, 12))}`;
  const cells = ({ project, environment = "", counts }: ProjectResult) => [project, environment, counts];
  const said: Words[] = [
    ...(unchanged.length > 0
      ? [words`${ours(number(unchanged.length))} left out: the files have not changed${since}.`]
      : []),
    ...deleted.map((file) => words`${name(file)} is deleted: its objects stay in the account.`),
  ];
  return [
    gap,
    heading(
      ours(projects.length === 0 ? "No project has changed" : "All projects", "strong"),
      ...(projects.length === 0 ? since : []),
    ),
    {
      is: "table",
      columns: [
        { title: "project", is: "foreign" },
        { title: "environment", is: "foreign" },
        { title: "result", is: "foreign" },
      ],
      rows: projects.map(cells),
    },
    ...said.map((line) => paragraph(line)),
  ];
}

/** The document with paths from a folder above: this one is below it. */
export function underFolder<Shown extends PlanDocument | DiagnosticsDocument>(
  document: Shown,
  folder: string,
): Shown {
  return JSON.parse(JSON.stringify(document), function (this: { line?: unknown }, key, value) {
    return key === "file" && typeof this.line === "number" ? path.posix.join(folder, value) : value;
  });
}
