import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { executablePath } from "./executable.js";

/*
 * Optional packages are looked for where avatarops is installed, as Node does, and then beside the project, if the code
 * of the project may run at all: what lies in a checkout may be its author's. An executable is often put into a checkout or
 * a folder for temporary files: only its own folder counts, where that belongs to no repository and others may not write.
 */

/** What is known of the run that needs packages. */
interface PackageSearch {
  readonly cwd: string;
  /** The command line, for a recommendation to repeat it. */
  readonly argv: readonly string[];
  /** The folder of the project, once its code may run. */
  beside?: string;
  /** All packages that the run is known to need. */
  readonly needed: Set<string>;
}

const own = fileURLToPath(import.meta.url);

/** What is installed: this file, or the executable that has it inside. */
const installed = executablePath ?? own;

const searches = new AsyncLocalStorage<PackageSearch>();

/** Runs what may load packages. */
export function searchingPackages<Result>(
  { cwd, argv }: Pick<PackageSearch, "cwd" | "argv">,
  work: () => Result,
): Result {
  return searches.run({ cwd, argv, needed: new Set() }, work);
}

/** Says what is learnt of the run meanwhile: where else packages may be, and which will be needed. */
export function expectPackages({
  beside,
  needed = [],
}: {
  readonly beside?: string;
  readonly needed?: Iterable<string>;
}): void {
  const search = searches.getStore();
  if (!search) return;
  if (beside !== undefined) search.beside = beside;
  for (const name of needed) search.needed.add(name);
}

/** A package that a feature needs is not installed. */
export class MissingPackageError extends Error {
  readonly code = "missing-package";
  readonly package: string;
  /** The command that installs it, and whatever else of this run is missing. */
  readonly install: string;

  constructor(name: string, feature: string, options?: ErrorOptions) {
    const needed = [...(searches.getStore()?.needed ?? [])];
    const isFound = (other: string) => folders().some((folder) => isIn(folder, other));
    const missing = [name, ...needed.filter((other) => other !== name && !isFound(other))];
    const install = installing(missing);
    const packages = missing.length === 1 ? `the package ${name}` : `the packages ${missing.join(", ")}`;
    const isNowhere = executablePath && folders().length === 0;
    const move = isNowhere
      ? `move ${executablePath} to a folder that is in no repository and that not everybody may write to, and there `
      : "";
    super(`${feature} needs ${packages}: ${move}run \`${install}\`.`, options);
    this.name = "MissingPackageError";
    this.package = name;
    this.install = install;
  }
}

/**
 * Loads an optional package: `withPackage("pg", "State in PostgreSQL", () => import("pg"))`. `specifier`: what of it is
 * loaded.
 *
 * @throws MissingPackageError with the command that installs it.
 */
export async function withPackage<Module>(
  name: string,
  feature: string,
  load: () => Promise<Module>,
  specifier = name,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    // Node has looked where avatarops is installed, but not around an executable.
    const folder = (executablePath ? folders() : foldersBeside()).find((folder) => isIn(folder, name));
    if (folder === undefined) throw new MissingPackageError(name, feature, { cause: error });
    return importPackage(specifier, path.join(folder, "avatarops.js"));
  }
}

/**
 * Imports a package that cannot be required, because it exports modules only: the built command is CommonJS, in which an
 * `import()` as it is written becomes a `require`. `from` is the file whose import it would be.
 */
export async function importPackage<Module>(
  name: string,
  from: string = fileURLToPath(import.meta.url),
): Promise<Module> {
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

/** Where packages may be. */
function folders(): string[] {
  const around = executablePath ? besideExecutable() : foldersUpFrom(path.dirname(own));
  return [...around, ...foldersBeside()];
}

function besideExecutable(): string[] {
  const folder = path.dirname(installed);
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

/** The command that installs packages where this avatarops finds them. */
function installing(names: readonly string[]): string {
  const list = names.join(" ");
  const search = searches.getStore();
  if (executablePath)
    return `npm install --prefix ${quoted(search?.beside ?? besideExecutable()[0] ?? ".")} ${list}`;
  const own = foldersUpFrom(path.dirname(installed)).find(isOurs);
  if (!search || own === undefined) return `npm install ${list}`;
  const modules = path.dirname(own);
  const root = path.dirname(modules);
  if (path.basename(modules) !== "node_modules")
    return `npm install --no-save --prefix ${quoted(own)} ${list}`;
  if (root.split(path.sep).includes("_npx")) {
    const packages = ["avatarops", ...names].map((name) => `--package=${name}`);
    return ["npx", ...packages, "avatarops", ...search.argv.map(quoted)].join(" ");
  }
  if (!existsSync(path.join(root, "package.json"))) {
    const prefix = path.basename(root) === "lib" ? path.dirname(root) : root;
    return `npm install --global --prefix ${quoted(prefix)} ${list}`;
  }
  // Where npm would install to from here.
  const nearest = foldersUpFrom(search.cwd).find((folder) =>
    ["package.json", "node_modules"].some((name) => existsSync(path.join(folder, name))),
  );
  return `npm install ${nearest === root ? "" : `--prefix ${quoted(root)} `}${list}`;
}

function isOurs(folder: string): boolean {
  try {
    return JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")).name === "avatarops";
  } catch {
    return false;
  }
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
