import { isSea } from "node:sea";

/**
 * Path of the executable that needs no Node, if that is what runs. The folder of this package is then inside it: only the main thread can
 * read it, and no other program.
 */
export const executablePath: string | undefined = isSea() ? process.execPath : undefined;
