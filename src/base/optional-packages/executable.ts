import { isSea } from "node:sea";

/**
 * Path to the standalone executable, or undefined if Node runs avatarops. Only the main thread can read the package
 * folder embedded in the executable.
 */
export const executablePath: string | undefined = isSea() ? process.execPath : undefined;
