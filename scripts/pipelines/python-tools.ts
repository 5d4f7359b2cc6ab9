import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { toolCache } from "../go-tools.js";

const requirements = path.resolve(import.meta.dirname, "../../tools/python/requirements.txt");

/** The folder of the packages that `tools/python` pins, installed there if they are missing. */
export function pythonTools(): string {
  const pins = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const folder = path.join(toolCache, `python-${pins}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"];
  const from = ["--require-hashes", "--only-binary", ":all:", "--target", unfinished, "-r", requirements];
  const { status, error } = spawnSync("python3", [...install, ...from], { stdio: "inherit" });
  if (status !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new Error("`pip install` failed. It needs python3 with pip.", { cause: error });
  }
  renameSync(unfinished, folder);
  return folder;
}
