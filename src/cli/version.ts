import { createRequire } from "node:module";

const { version: stated } = createRequire(import.meta.url)("../../package.json") as { version: string };

/** The version of the package. */
export const version: string = stated;
