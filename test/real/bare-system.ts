import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { toolCache } from "../../scripts/go-tools.js";
import { isLong } from "./long.js";

/** Debian with nothing but what every Debian has: neither Node nor libatomic. Kept, for it takes two minutes to make. */
export const bareSystem = path.join(toolCache, "debian-bookworm");

/** Whether tests may start programs in it: the system has debootstrap, and the run is one of `npm run test:real`, by root. */
export function hasBareSystem(): boolean {
  return (
    isLong &&
    process.getuid?.() === 0 &&
    spawnSync("debootstrap", ["--version"], { stdio: "ignore" }).status === 0
  );
}

/** Makes it if it is missing. */
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
