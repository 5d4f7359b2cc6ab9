/**
 * Installs and builds the missing parts of a clone before `npm test` and `npm run demo`. Uses only Node, because packages may be missing.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const { packages } = readJson("package-lock.json");
// npm writes this file after a complete installation.
const isWhole = existsSync("node_modules/.package-lock.json");
if (!isWhole || Object.entries(packages).some(isMissing)) {
  console.log("Installing and building missing parts: about a minute …");
  const argv = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status, stdout, error } = spawnSync("npm", argv, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    // Windows starts npm.cmd only through a shell.
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error(`${stdout ?? ""}\`npm ci\` failed${error ? `: ${error.message}` : ""}.`);
    process.exitCode = 1;
  }
}

/**
 * Whether a package is missing or its version differs from the lock file. Packages for other platforms may be
 * missing.
 */
function isMissing([folder, { version, link, optional }]) {
  const file = `${folder}/package.json`;
  if (folder === "" || optional) return false;
  return !existsSync(file) || (!link && readJson(file).version !== version);
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
