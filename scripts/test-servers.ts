/**
 * Installs servers for tests, a newer Terraform and small clients of the service: `npm run test:servers`. Without them,
 * their tests are skipped.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { porcupine } from "../test/linearizable/porcupine.js";
import { installClients, smallClients } from "./interop.js";
import { newerTerraform } from "./terraform/newer.js";

const cache = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache"), "avatarops-tools");
const prometheusFolder = path.join(cache, "prometheus");

/**
 * Moto, a simulated AWS in Python with S3 (conditional writes), Secrets Manager, Parameter Store and IAM. Pinned in
 * `tools/moto`.
 */
export const moto = {
  folder: () => {
    const pins = readFileSync(path.resolve(import.meta.dirname, "../tools/moto/requirements.txt"));
    return path.join(cache, `moto-${createHash("sha256").update(pins).digest("hex").slice(0, 12)}`);
  },
  /** Server program, which runs on the Python in its folder. */
  program: () => path.join(moto.folder(), "bin/moto_server"),
  has: () => existsSync(path.join(moto.folder(), ".installed")),
  install() {
    if (moto.has()) return;
    console.log("Installing moto, 110 MB …");
    // Programs in this folder contain its path, so it is created in place and marked when complete.
    const folder = moto.folder();
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const pins = path.resolve(import.meta.dirname, "../tools/moto/requirements.txt");
    run("python3", ["-m", "venv", folder]);
    run(path.join(folder, "bin/pip"), [
      "install",
      "--quiet",
      "--no-compile",
      "--no-deps",
      "--requirement",
      pins,
    ]);
    mkdirSync(path.join(folder, ".installed.new"));
    renameSync(path.join(folder, ".installed.new"), path.join(folder, ".installed"));
  },
};

/** PostgreSQL of the system, version 14 or later. */
export const postgres = {
  /** Folder of its programs, which Debian does not put on the PATH. */
  folder: (): string | undefined => {
    const debians = "/usr/lib/postgresql";
    const versions = existsSync(debians) ? readdirSync(debians) : [];
    const folders = [
      ...versions.sort((a, b) => Number(b) - Number(a)).map((version) => path.join(debians, version, "bin")),
      ...(process.env.PATH ?? "").split(path.delimiter),
    ];
    return folders.find((folder) => existsSync(path.join(folder, "initdb")));
  },
  has: () => postgres.folder() !== undefined,
  install() {
    if (postgres.has()) return;
    console.log("Installing PostgreSQL from Debian's packages …");
    apt("update", "-qq");
    apt("install", "-qq", "--yes", "--no-install-recommends", "postgresql");
  },
};

/**
 * Prometheus of the system with promtool, or else Debian's package. The package is unpacked and not installed, so that
 * no service starts.
 */
export const prometheus = {
  /** Undefined if neither exists. */
  program: (name: "prometheus" | "promtool"): string | undefined =>
    [path.join(prometheusFolder, "usr/bin"), ...(process.env.PATH ?? "").split(path.delimiter)]
      .map((folder) => path.join(folder, name))
      .find((file) => existsSync(file)),
  has: () => prometheus.program("promtool") !== undefined && prometheus.program("prometheus") !== undefined,
  install() {
    if (prometheus.has()) return;
    console.log("Unpacking Debian's package of Prometheus, 100 MB …");
    const fresh = `${prometheusFolder}.new`;
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { recursive: true });
    const download = () =>
      spawnSync("apt-get", ["download", "-qq", "prometheus"], { cwd: fresh, stdio: "ignore" });
    // The package lists may be missing or outdated.
    if (download().status !== 0) {
      apt("update", "-qq");
      if (download().status !== 0) throw new Error("`apt-get download prometheus` failed.");
    }
    const [archive = ""] = readdirSync(fresh).filter((file) => file.endsWith(".deb"));
    run("dpkg", ["-x", path.join(fresh, archive), fresh]);
    rmSync(path.join(fresh, archive));
    rmSync(prometheusFolder, { recursive: true, force: true });
    renameSync(fresh, prometheusFolder);
  },
};

function apt(...argv: string[]): void {
  const sudo = process.getuid?.() === 0 ? [] : ["sudo"];
  const [program = "", ...rest] = [...sudo, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", ...argv];
  run(program, rest);
}

function run(program: string, argv: readonly string[]): void {
  const { status, error } = spawnSync(program, argv, { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error(`\`${program} ${argv.join(" ")}\` failed.`, { cause: error });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  moto.install();
  newerTerraform.install();
  installClients(smallClients);
  postgres.install();
  prometheus.install();
  if (spawnSync("go", ["version"]).status === 0) porcupine.build();
  else console.log("Go is missing, so Porcupine is not built.");
}
