import type { Parsed } from "./document.js";
import type { projectsForm } from "./schemas/other-forms.js";

/** What a command says of several projects; `schemas/projects-v1.schema.json` describes each key. */
export interface ProjectsDocument extends Parsed<typeof projectsForm> {}

/** What is known before the command has run. */
export type ProjectsHead = Omit<ProjectsDocument, "projects" | "exit">;

export type ProjectResult = ProjectsDocument["projects"][number];

/** A project's main file, and one of its environments. */
export type ProjectEnvironment = ProjectsDocument["unchanged"][number];
