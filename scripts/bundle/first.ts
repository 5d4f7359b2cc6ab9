/*
 * What a bundle's start file does first: the question for the version is answered without loading anything. What cannot be
 * written is left to the command, which tells why.
 */
import fs from "node:fs";
import path from "node:path";

declare const bundle: {
  /** The package.json with the version, from this file; undefined: the question is not answered here. */
  readonly versionIn?: string;
};

const [asked, ...others] = process.argv.slice(2);
const isAsked = others.length === 0 && (asked === "--version" || asked === "-V");
if (!bundle.versionIn || !isAsked || !isAnswered(bundle.versionIn)) require("./start.js");

function isAnswered(file: string): boolean {
  try {
    const { version } = JSON.parse(fs.readFileSync(path.join(__dirname, file), "utf8"));
    fs.writeSync(1, `${version}\n`);
    return true;
  } catch {
    return false;
  }
}
