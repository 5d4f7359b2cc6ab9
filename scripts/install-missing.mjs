/**
 * Installs and builds what a clone lacks: `npm test` and `npm run demo` begin with it. Uses nothing but Node, as packages may be missing.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const { packages } = readJson("package-lock.json");
// npm writes it when all is installed.
const isWhole = existsSync("node_modules/.package-lock.json");
if (!isWhole || Object.entries(packages).some(isMissing)) {
  console.log("Installing what is missing, and building: about a minute …");
  const argv = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status, stdout, error } = spawnSync("npm", argv, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) {
    console.error(`${stdout ?? ""}\`npm ci\` failed${error ? `: ${error.message}` : ""}.`);
    process.exitCode = 1;
  }
}

/** Whether a package of the lock file is not installed, or in another version. One for other platforms need not be. */
function isMissing([folder, { version, link, optional }]) {
  const file = `${folder}/package.json`;
  if (folder === "" || optional) return false;
  return !existsSync(file) || (!link && readJson(file).version !== version);
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
