/** Formats of data from outside, from the service or a file. */
export { complaintOf } from "./complaint.js";
export { conflictHint, conflictInText } from "./conflict.js";
export { idForm, isId } from "./id.js";
export { plainLine } from "./plain-line.js";
export { capitalise, snakeCase } from "./spelling.js";
