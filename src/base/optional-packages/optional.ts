import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { executablePath } from "./executable.js";

/*
 * Optional packages are looked for where avatarops is installed, as Node does, and then beside the project, if the code
 * of the project may run at all: what lies in a checkout may be its author's. An executable is often put into a checkout or
 * a folder for temporary files: only its own folder counts, where that belongs to no repository and others may not write.
 */

/** `beside`: the folder of the project, once its code may run. */
const searches = new AsyncLocalStorage<{ beside?: string }>();

/** Runs what may load packages. */
export function searchingPackages<Result>(work: () => Result): Result {
  return searches.run({}, work);
}

/** Says that packages may be beside a project: its code may run. */
export function searchBeside(folder: string): void {
  const search = searches.getStore();
  if (search) search.beside = folder;
}

/** A package that a feature needs is not installed. */
export class MissingPackageError extends Error {
  readonly code = "missing-package";
  readonly package: string;
  /** What to do, as the end of a sentence. */
  readonly advice: string;

  constructor(name: string, feature: string, options?: ErrorOptions) {
    const advice = `run \`npm install ${name}\`${whereToInstall()}`;
    super(`${feature} needs the package ${name}: ${advice}.`, options);
    this.name = "MissingPackageError";
    this.package = name;
    this.advice = advice;
  }
}

function whereToInstall(): string {
  if (!executablePath) return ", with --global if avatarops was installed so";
  const folder = searches.getStore()?.beside ?? besideExecutable()[0];
  if (folder !== undefined) return ` in ${folder}`;
  return ` beside ${executablePath}, moved to a folder that is in no repository and that not everybody may write to`;
}

/**
 * Loads an optional package: `withPackage("pg", "State in PostgreSQL", () => import("pg"))`.
 *
 * @throws MissingPackageError with what to do.
 */
export async function withPackage<Module>(
  name: string,
  feature: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    // Node has looked where avatarops is installed, but not around an executable.
    const around = executablePath ? besideExecutable() : [];
    const folder = [...around, ...foldersBeside()].find((one) => isIn(one, name));
    if (folder === undefined) throw new MissingPackageError(name, feature, { cause: error });
    return importPackage(name, path.join(folder, "avatarops.js"));
  }
}

/**
 * Imports a package that cannot be required, because it exports modules only: the built command is CommonJS, in which an
 * `import()` as it is written becomes a `require`. `from` is the file whose import it would be.
 */
export async function importPackage<Module>(name: string, from: string): Promise<Module> {
  const { constants, runInThisContext } = await import("node:vm");
  const load = runInThisContext("(name) => import(name)", {
    filename: from,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }) as (name: string) => Promise<Module>;
  return load(name);
}

/** Whether this package is what could not be found, and not one that it needs itself. */
function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return (
    ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(String(error.code)) &&
    error.message.includes(`'${name}'`)
  );
}

function isIn(folder: string, name: string): boolean {
  return existsSync(path.join(folder, "node_modules", name, "package.json"));
}

function besideExecutable(): string[] {
  const folder = path.dirname(executablePath ?? "");
  const isRepository = foldersUpFrom(folder).some((one) => existsSync(path.join(one, ".git")));
  const isForAll = [folder, path.join(folder, "node_modules")].some((one) => {
    const mode = statSync(one, { throwIfNoEntry: false })?.mode ?? 0;
    // Windows has no such permissions.
    return path.sep === "/" && (mode & 0o002) !== 0;
  });
  return isRepository || isForAll ? [] : [folder];
}

/** The folder of the project, and those around it in its repository: others may belong to anybody. */
function foldersBeside(): string[] {
  const { beside } = searches.getStore() ?? {};
  return beside === undefined ? [] : foldersInRepository(beside);
}

/** A folder, and those around it in its repository. */
function foldersInRepository(folder: string): string[] {
  const folders = foldersUpFrom(folder);
  const root = folders.findIndex((folder) => existsSync(path.join(folder, ".git")));
  return folders.slice(0, root + 1 || 1);
}

function foldersUpFrom(folder: string): string[] {
  const parent = path.dirname(folder);
  return [folder, ...(parent === folder ? [] : foldersUpFrom(parent))];
}
