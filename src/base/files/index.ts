/** Safe reading and writing in folders that others can change. */
export {
  belongsTo,
  followLinks,
  isInGitFolder,
  isInside,
  LeadsOutsideError,
  resolveInside,
  toPosixPath,
} from "./links.js";
export { containsKeys, isPossiblyPrivate, isPrivate } from "./private.js";
export { readRegular, readRegularSync } from "./regular.js";
export { findUrlProblem, hideUrl, readScheme } from "./scheme.js";
export { createFolders, makeFile, type NewContent, readPermissions, writeInside } from "./writing.js";
