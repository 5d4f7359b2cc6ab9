/**
 * Installs the servers that tests start, a newer Terraform and small clients of the service: `npm run test:servers`. Without it
 * their tests are left out.
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

/** Moto imitates AWS in Python: S3 with its conditional writes, Secrets Manager, Parameter Store and IAM; pinned in `tools/moto`. */
export const moto = {
  folder: () => {
    const pins = readFileSync(path.resolve(import.meta.dirname, "../tools/moto/requirements.txt"));
    return path.join(cache, `moto-${createHash("sha256").update(pins).digest("hex").slice(0, 12)}`);
  },
  /** The server, to be run by the Python of its folder. */
  program: () => path.join(moto.folder(), "bin/moto_server"),
  has: () => existsSync(path.join(moto.folder(), ".installed")),
  install() {
    if (moto.has()) return;
    console.log("Installing moto, 110 MB …");
    // Programs in such a folder name it: so it is made where it stays, and marked when it is whole.
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

/** PostgreSQL is the one of the system: 14 or later. */
export const postgres = {
  /** The folder of its programs, which Debian does not put on the PATH. */
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

/** Prometheus with its promtool: the one of the system, else Debian's package, unpacked and not installed, so that nothing starts it. */
export const prometheus = {
  /** Undefined if there is neither. */
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
    // The lists of packages may be missing, or name a version that is gone.
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
  else console.log("Without Go, Porcupine is not built.");
}
