import type { Project } from "../../src/operations/index.js";
import { type DeclaredObject, type Files, toProject } from "./files.js";
import type { Process } from "./machine.js";
import type { World } from "./world.js";

/** The files of a team, through time. */
export class Repository {
  #files: Files;
  readonly versions: Files[];

  constructor(hasProfile: boolean, objects: readonly DeclaredObject[]) {
    this.#files = { hasProfile, objects };
    this.versions = [this.#files];
  }

  get files(): Files {
    return this.#files;
  }

  change(objects: readonly DeclaredObject[]): void {
    this.#files = { ...this.#files, objects };
    this.versions.push(this.#files);
  }
}

/** What the files say at this moment, for a process. */
export function projectOf(world: World, repository: Repository, process: Process): Project {
  process.files = repository.files;
  return toProject(repository.files, "store:state", world.vaultOf(process));
}
