import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { toolCache } from "../../scripts/tools/tool.js";
import { isLong } from "./long.js";

/** Folder with a minimal Debian without Node or libatomic. Cached, because building it takes two minutes. */
export const bareSystem = path.join(toolCache, "debian-bookworm");

/** Whether tests can use the minimal Debian, which needs debootstrap and `npm run test:real` as root. */
export function hasBareSystem(): boolean {
  return (
    isLong &&
    process.getuid?.() === 0 &&
    spawnSync("debootstrap", ["--version"], { stdio: "ignore" }).status === 0
  );
}

/** Builds the minimal Debian if missing. */
export function makeBareSystem(): void {
  if (existsSync(bareSystem)) return;
  const unfinished = `${bareSystem}.${process.pid}`;
  mkdirSync(toolCache, { recursive: true });
  const { status } = spawnSync("debootstrap", ["--variant=minbase", "bookworm", unfinished], {
    stdio: "ignore",
  });
  if (status !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new Error("`debootstrap --variant=minbase bookworm` failed.");
  }
  renameSync(unfinished, bareSystem);
}
