/** Packages that only some users need: optional peers, which npm does not install. */
export { executablePath } from "./executable.js";
export {
  importPackage,
  MissingPackageError,
  searchBeside,
  searchingPackages,
  withPackage,
} from "./optional.js";
