/**
 * Installs and builds what a clone lacks: `npm test`, `npm run demo` and `prepare` begin with it. Uses nothing but Node, as packages may be
 * missing. Options are passed on to npm.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const { packages } = readJson("package-lock.json");
// npm writes it when all is installed.
const isWhole = existsSync("node_modules/.package-lock.json");
if (!isWhole || Object.entries(packages).some(isMissing)) {
  console.log("Installing what is missing, and building: about a minute …");
  // For `npm install --global git+…`, npm prepares a clone without development dependencies, and passes `--global` on.
  const options = ["--include=dev", "--no-global", "--no-audit", "--no-fund", "--loglevel=error"];
  const argv = ["ci", ...options, ...process.argv.slice(2)];
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
