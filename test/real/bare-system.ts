import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { toolCache } from "../../scripts/go-tools.js";
import { isLong } from "./long.js";

/** A minimal Debian without Node and libatomic. Kept, because it takes two minutes to build. */
export const bareSystem = path.join(toolCache, "debian-bookworm");

/** Whether tests may start programs in it: debootstrap is installed, and root runs `npm run test:real`. */
export function hasBareSystem(): boolean {
  return (
    isLong &&
    process.getuid?.() === 0 &&
    spawnSync("debootstrap", ["--version"], { stdio: "ignore" }).status === 0
  );
}

/** Builds it if it is missing. */
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
