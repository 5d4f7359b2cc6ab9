import type { Project } from "../../src/operations/index.js";
import { type DeclaredObject, type Files, toProject } from "./files.js";
import type { Process } from "./machine.js";
import type { World } from "./world.js";

/** The files of a project over time. */
export class Repository {
  /** Its folder in the repository. */
  folder: string;
  readonly versions: Files[];

  constructor(folder: string, files: Files) {
    this.folder = folder;
    this.versions = [files];
  }

  get files(): Files {
    return this.versions.at(-1) as Files;
  }

  change(objects: readonly DeclaredObject[]): void {
    this.versions.push({ ...this.files, objects });
  }
}

/** Returns the project in its current version, for a process. */
export function projectOf(world: World, repository: Repository, process: Process): Project {
  process.repository = repository;
  process.files = repository.files;
  return toProject(repository.files, "store:state", world.vaultOf(process));
}
