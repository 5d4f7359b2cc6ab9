import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { executablePath } from "./executable.js";

/*
 * Optional packages are looked for where avatarops is installed, as Node does, and then beside the project, if the code
 * of the project may run: what lies in a checkout may be its author's. An executable is often put into a checkout or
 * a folder for temporary files: only its own folder counts, where that belongs to no repository and others may not write.
 */

/** Where packages are looked for apart from the installation of avatarops. */
export interface PackageSearch {
  /** The project folder; absolute. */
  readonly root?: string | undefined;
  /** Whether code of the project may run. Without that right, nothing is loaded from beside it. */
  readonly allowCode: boolean;
}

/** A package that a feature needs is not installed. */
export class MissingPackageError extends Error {
  readonly code = "missing-package";
  readonly package: string;
  /** What to do, as the end of a sentence. */
  readonly advice: string;

  constructor(name: string, feature: string, search: PackageSearch, options?: ErrorOptions) {
    const advice = `run \`npm install ${name}\`${whereToInstall(search)}`;
    super(`${feature} needs the package ${name}: ${advice}.`, options);
    this.name = "MissingPackageError";
    this.package = name;
    this.advice = advice;
  }
}

function whereToInstall(search: PackageSearch): string {
  if (!executablePath) return ", with --global if avatarops was installed so";
  const folder = foldersBeside(search)[0] ?? besideExecutable()[0];
  if (folder !== undefined) return ` in ${folder}`;
  return ` beside ${executablePath}, moved to a folder that is in no repository and that not everybody may write to`;
}

/**
 * Loads an optional package: `withPackage("pg", "State in PostgreSQL", () => import("pg"), environment)`.
 *
 * @throws MissingPackageError with what to do.
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
    // Node has looked where avatarops is installed, but not around an executable.
    const around = executablePath ? besideExecutable() : [];
    const folder = [...around, ...foldersBeside(search)].find((one) => isIn(one, name));
    if (folder === undefined) throw new MissingPackageError(name, feature, search, { cause: error });
    return importPackage(name, path.join(folder, "avatarops.js"));
  }
}

/**
 * Imports a package that cannot be required, because it exports modules only: the built command is CommonJS, in which an
 * `import()` as it is written becomes a `require`. `from` is the file whose import it would be.
 */
async function importPackage<Module>(name: string, from: string): Promise<Module> {
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

/** The project folder, and those around it in its repository: others may belong to anyone. */
function foldersBeside({ root, allowCode }: PackageSearch): string[] {
  return allowCode && root !== undefined ? foldersInRepository(root) : [];
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
