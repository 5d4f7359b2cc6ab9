import { createRequire } from "node:module";

const { version: stated } = createRequire(import.meta.url)("../../package.json") as { version: string };

/** Of the package. */
export const version: string = stated;
