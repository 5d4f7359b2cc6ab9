/** Files in folders that other people write into, too: read and replaced without being led astray. */
export { belongsTo, followLinks, isGits, isInside, LeadsOutsideError, realInside } from "./links.js";
export { readRegular, readRegularSync } from "./regular.js";
export { makeFile, type NewContent, permissionsOf, writeInside } from "./writing.js";
