import type { Parsed } from "./document.js";
import type { projectsForm } from "./schemas/other-forms.js";

/** Result of a command for several projects. `schemas/projects-v1.schema.json` describes each key. */
export interface ProjectsDocument extends Parsed<typeof projectsForm> {}

/** Keys known before the command runs. */
export type ProjectsHead = Omit<ProjectsDocument, "projects" | "exit">;

export type ProjectResult = ProjectsDocument["projects"][number];

/** A project's main file, with one of its environments. */
export type ProjectEnvironment = ProjectsDocument["unchanged"][number];
