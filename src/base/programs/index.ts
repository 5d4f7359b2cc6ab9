/** Programs of others, run without a shell and stopped with all that they started. */
export { startProgram } from "./start-program.js";
