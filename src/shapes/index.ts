/** Formats of data from outside, from the service or a file. */
export { complaintOf } from "./complaint.js";
export { idForm, isId } from "./id.js";
