export { generateLife } from "./generate.js";
export { live } from "./run-life.js";
