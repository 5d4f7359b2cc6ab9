import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { executablePath } from "./executable.js";

/*
 * Optional packages are resolved from the avatarops installation, as Node does. If that fails, packages next to the
 * project are used, but only if project code may run, because anyone can commit packages to a checkout. The folder of
 * an executable is used only if it is outside repositories and not writable by others.
 */

/** Settings for finding packages outside the avatarops installation. */
export interface PackageSearch {
  /** Absolute path to the project folder. */
  readonly root?: string | undefined;
  /** Whether the project's code may run. If not, no packages are loaded from its folders. */
  readonly allowCode: boolean;
}

/** Error for an optional package that is needed but not installed. */
export class MissingPackageError extends Error {
  readonly code = "missing-package";
  readonly package: string;
  /** Next step for the user, as a sentence without a period. */
  readonly advice: string;

  constructor(name: string, feature: string, search: PackageSearch, options?: ErrorOptions) {
    const advice = `Run \`npm install ${name}\`${describeInstallFolder(search)}`;
    super(`${feature} needs the package ${name}. ${advice}.`, options);
    this.name = "MissingPackageError";
    this.package = name;
    this.advice = advice;
  }
}

function describeInstallFolder(search: PackageSearch): string {
  if (!executablePath) return ", with --global if avatarops is installed globally";
  const folder = listFoldersOfProject(search)[0] ?? listFoldersOfExecutable()[0];
  if (folder !== undefined) return ` in ${folder}`;
  return ` next to ${executablePath}. Before that, move the program outside any repository, to a folder that only you can write to`;
}

/**
 * Loads an optional package, such as `withPackage("pg", "State in PostgreSQL", () => import("pg"), environment)`.
 *
 * @throws MissingPackageError
 */
export async function withPackage<Module>(
  name: string,
  feature: string,
  load: () => Promise<Module>,
  search: PackageSearch,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    // Node already searched the installation of avatarops, but not the folders around an executable.
    const around = executablePath ? listFoldersOfExecutable() : [];
    const folder = [...around, ...listFoldersOfProject(search)].find((one) => isIn(one, name));
    if (folder === undefined) throw new MissingPackageError(name, feature, search, { cause: error });
    return importPackage(name, path.join(folder, "avatarops.js"));
  }
}

/**
 * Imports a package that exports only ES modules, as if the file `from` imported it. The built command is CommonJS,
 * where a literal `import()` becomes a `require`.
 */
async function importPackage<Module>(name: string, from: string): Promise<Module> {
  const { constants, runInThisContext } = await import("node:vm");
  const load = runInThisContext("(name) => import(name)", {
    filename: from,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }) as (name: string) => Promise<Module>;
  return load(name);
}

/** Returns whether the package itself is missing, not one of its dependencies. */
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

function listFoldersOfExecutable(): string[] {
  const folder = path.dirname(executablePath ?? "");
  const isRepository = listFoldersUpFrom(folder).some((one) => existsSync(path.join(one, ".git")));
  const isForAll = [folder, path.join(folder, "node_modules")].some((one) => {
    const mode = statSync(one, { throwIfNoEntry: false })?.mode ?? 0;
    // Windows has no permission for "others".
    return path.sep === "/" && (mode & 0o002) !== 0;
  });
  return isRepository || isForAll ? [] : [folder];
}

/** Returns the project folder and its parents in the repository. Folders above may belong to other users. */
function listFoldersOfProject({ root, allowCode }: PackageSearch): string[] {
  return allowCode && root !== undefined ? listFoldersInRepository(root) : [];
}

/** Returns a folder and its parents within the repository. */
function listFoldersInRepository(folder: string): string[] {
  const folders = listFoldersUpFrom(folder);
  const root = folders.findIndex((folder) => existsSync(path.join(folder, ".git")));
  return folders.slice(0, root + 1 || 1);
}

function listFoldersUpFrom(folder: string): string[] {
  const parent = path.dirname(folder);
  return [folder, ...(parent === folder ? [] : listFoldersUpFrom(parent))];
}
