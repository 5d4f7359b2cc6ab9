import { fileURLToPath } from "node:url";

/** A package that a feature needs is not installed. */
export class MissingPackageError extends Error {
  readonly code = "missing-package";
  readonly package: string;

  constructor(name: string, feature: string, options?: ErrorOptions) {
    super(`${feature} needs the package ${name}: run \`npm install ${name}\`.`, options);
    this.name = "MissingPackageError";
    this.package = name;
  }
}

/**
 * Loads an optional package: `withPackage("pg", "State in PostgreSQL", () => import("pg"))`.
 *
 * @throws MissingPackageError with the command that installs it.
 */
export async function withPackage<Module>(
  name: string,
  feature: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (isMissing(error, name)) throw new MissingPackageError(name, feature, { cause: error });
    throw error;
  }
}

/**
 * Imports a package that cannot be required, because it exports modules only: the built command is CommonJS, in which an
 * `import()` as it is written becomes a `require`.
 */
export async function importPackage<Module>(name: string): Promise<Module> {
  const { constants, runInThisContext } = await import("node:vm");
  const load = runInThisContext("(name) => import(name)", {
    filename: fileURLToPath(import.meta.url),
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
