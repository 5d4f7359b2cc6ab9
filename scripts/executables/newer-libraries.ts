/**
 * Lists the libraries in a release's Linux executables for which Debian has a newer version, and exits with 1 if there
 * are any: `npx tsx scripts/executables/newer-libraries.ts avatarops_1.2.3.cdx.json`. Needs Debian and gcc.
 */
import { readFileSync } from "node:fs";
import { downloadLibraries } from "./libraries.js";

const [file = ""] = process.argv.slice(2);
const { components } = JSON.parse(readFileSync(file, "utf8")) as {
  readonly components: readonly { readonly name: string; readonly version: string }[];
};
const { sources } = downloadLibraries("amd64", "x86_64-linux-gnu");
const newer = sources.flatMap(({ name, version }) => {
  const released = components.find((component) => component.name === name)?.version;
  return released === version ? [] : [`${name}: Debian has ${version}, the release ${released ?? "none"}.`];
});
console.log(newer.length > 0 ? newer.join("\n") : "Debian has no newer libraries.");
if (newer.length > 0) process.exitCode = 1;
