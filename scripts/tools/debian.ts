import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { globSync } from "tinyglobby";
import { run, type Tool, toolCache } from "./tool.js";

interface DebianOptions {
  /** Glob pattern of folders outside the PATH that may contain the programs. Later versions come first. */
  readonly folders?: string;
  /** Whether to unpack the package into the cache, because its installation would start a service. */
  readonly isUnpacked?: boolean;
}

/**
 * Defines programs that the system or a Debian package provides. The tool's path is the folder that contains
 * them.
 */
export function defineDebianTool(
  name: string,
  programs: readonly string[],
  { folders, isUnpacked = false }: DebianOptions,
): Tool {
  const unpacked = path.join(toolCache, name);
  const bin = path.join(unpacked, "usr/bin");
  const findFolder = () => {
    const found = folders ? globSync(folders, { onlyDirectories: true, absolute: true }) : [];
    const newest = found.sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
    return [bin, ...newest, ...(process.env.PATH ?? "").split(path.delimiter)].find((folder) =>
      programs.every((program) => existsSync(path.join(folder, program))),
    );
  };
  const has = () => findFolder() !== undefined;
  return {
    get path() {
      return findFolder() ?? bin;
    },
    has,
    install() {
      if (has()) return;
      console.error(`Installing Debian's package ${name} …`);
      if (isUnpacked) unpack(name, unpacked);
      else {
        runApt("update", "-qq");
        runApt("install", "-qq", "--yes", "--no-install-recommends", name);
      }
    },
  };
}

function unpack(name: string, folder: string): void {
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  const download = () => spawnSync("apt-get", ["download", "-qq", name], { cwd: fresh, stdio: "ignore" });
  // The package lists may be missing or outdated.
  if (download().status !== 0) {
    runApt("update", "-qq");
    if (download().status !== 0) throw new Error(`\`apt-get download ${name}\` failed.`);
  }
  const [archive = ""] = readdirSync(fresh).filter((file) => file.endsWith(".deb"));
  run("dpkg", ["-x", path.join(fresh, archive), fresh]);
  rmSync(path.join(fresh, archive));
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
}

function runApt(...argv: string[]): void {
  const sudo = process.getuid?.() === 0 ? [] : ["sudo"];
  const [program = "", ...rest] = [...sudo, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", ...argv];
  run(program, rest);
}
