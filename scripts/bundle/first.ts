/*
 * Runs first in a bundle's start file and prints the version without loading anything else. If that fails, the command
 * itself prints the version or reports the error.
 */
import fs from "node:fs";
import path from "node:path";

declare const bundle: {
  /** Path from this file to the package.json with the version. If undefined, `--version` is handled later. */
  readonly versionIn?: string;
};

const [option, ...others] = process.argv.slice(2);
const isVersion = others.length === 0 && (option === "--version" || option === "-V");
if (!bundle.versionIn || !isVersion || !printVersion(bundle.versionIn)) require("./start.js");

/** Returns whether the version was printed. */
function printVersion(file: string): boolean {
  try {
    const { version } = JSON.parse(fs.readFileSync(path.join(__dirname, file), "utf8"));
    fs.writeSync(1, `${version}\n`);
    return true;
  } catch {
    return false;
  }
}
