import { isSea } from "node:sea";

/**
 * Path of the standalone executable; undefined if Node runs avatarops. The package folder is embedded in the executable, where only
 * the main thread can read it.
 */
export const executablePath: string | undefined = isSea() ? process.execPath : undefined;
