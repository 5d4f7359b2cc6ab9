import type { Project } from "../../src/operations/index.js";
import { type DeclaredObject, type Files, toProject } from "./files.js";
import type { Process } from "./machine.js";
import type { World } from "./world.js";

/** Versions of a project's files, newest last. */
export class Repository {
  /** Project folder in the repository. */
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

  /** Sets `service.ignore_list_counts`. */
  ignoreCounts(): void {
    this.versions.push({ ...this.files, ignoresCounts: true });
  }
}

/** Returns the current project version, as a process reads it. */
export function readProject(world: World, repository: Repository, process: Process): Project {
  process.repository = repository;
  process.files = repository.files;
  return toProject(repository.files, "store:state", world.vaultOf(process));
}
