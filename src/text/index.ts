/** Texts: what they may contain, and how they are written. */
export { complaintOf } from "./complaint.js";
export { conflictHint, conflictInText } from "./conflict.js";
export { idForm, isId } from "./id.js";
export { plainLine } from "./plain-line.js";
export { capitalise, snakeCase } from "./spelling.js";
