/** Packages that only some users need: optional peers, which npm does not install by itself. */
export { MissingPackageError, withPackage } from "./optional.js";
