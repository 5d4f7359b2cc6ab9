import { isSea } from "node:sea";

/**
 * Path of the standalone executable, or undefined if Node runs avatarops. Only the main thread can read the package
 * folder embedded in the executable.
 */
export const executablePath: string | undefined = isSea() ? process.execPath : undefined;
