/** Where secret values come from, and how they are recognised without being kept. */
export type { ValueSource } from "./source.js";
