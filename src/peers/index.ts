/** Packages that only some users need: optional peers, which npm does not install by itself. */
export { importPackage, MissingPackageError, withPackage } from "./optional.js";
