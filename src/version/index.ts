import { createRequire } from "node:module";

const own = createRequire(import.meta.url)("../../package.json") as {
  version: string;
  devDependencies: Readonly<Record<string, string>>;
};

/** The version of the package. */
export const version: string = own.version;

/** What a project in TypeScript installs: this package, and what it is itself checked and tested with. */
export const typescriptPackages: Readonly<Record<string, string>> = Object.fromEntries([
  ["avatarops", `^${version}`],
  ...["@types/node", "tsx", "typescript"].map((name) => [name, `^${own.devDependencies[name]}`]),
]);
