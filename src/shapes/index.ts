/** What comes from outside, from the service or a file, and is to have a certain shape. */
export { complaintOf } from "./complaint.js";
export { idForm, isId } from "./id.js";
