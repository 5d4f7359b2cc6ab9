/** External programs, run without a shell and stopped together with their child processes. */
export { startProgram } from "./start-program.js";
