import { given, head, type Parsed } from "./document.js";
import type { projectsForm } from "./schemas/other-forms.js";

/** What a command says of several projects; `schemas/projects-v1.schema.json` describes each key. */
export interface ProjectsDocument extends Parsed<typeof projectsForm> {}

export type ProjectResult = ProjectsDocument["projects"][number];

/** A project's main file, and one of its environments. */
export type ProjectEnvironment = ProjectsDocument["unchanged"][number];

/** What is known before the command has run. */
export function projectsHead(found: {
  readonly changedSince?: string | undefined;
  readonly unchanged: readonly ProjectEnvironment[];
  readonly deleted: readonly string[];
}): Omit<ProjectsDocument, "projects" | "exit"> {
  const { changedSince, unchanged, deleted } = found;
  return { ...head("projects"), ...given("changed_since", changedSince), unchanged, deleted };
}
