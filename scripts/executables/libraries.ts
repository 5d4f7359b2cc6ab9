import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { licenseSeparator } from "../bundle/bundle.js";
import type { LinuxParts } from "./linux.js";

/** Libraries that Node needs on Linux, from Debian. */
export interface Libraries extends LinuxParts {
  /** Debian source packages. */
  readonly sources: readonly { readonly name: string; readonly version: string }[];
  /** License text. */
  readonly licenses: string;
}

/** Library names by Debian package. */
const names: Readonly<Record<string, readonly string[]>> = {
  libatomic1: ["libatomic.so.1"],
  libc6: ["libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0"],
  "libgcc-s1": ["libgcc_s.so.1"],
  "libstdc++6": ["libstdc++.so.6"],
};

/** Compiler flags for a single-segment program without libraries. */
const flags = [
  ...["-Os", "-Wall", "-Wextra", "-Werror", "-ffreestanding", "-fPIE", "-fno-stack-protector"],
  ...["-nostdlib", "-static", "-Wl,-N,-Ttext=0,--build-id=none,--no-warn-rwx-segments"],
];

/**
 * Downloads the libraries from this system's Debian archive, without installing them. `arch` is Debian's name for the
 * processor, and `triple` is the compiler triple.
 */
export function downloadLibraries(arch: string, triple: string): Libraries {
  const folder = mkdtempSync(path.join(tmpdir(), "avatarops-libraries-"));
  const settings = [
    ...[`Dir::State=${folder}`, "Dir::State::status=/dev/null", `Dir::Cache=${folder}`],
    ...[`APT::Architecture=${arch}`, `APT::Architectures=${arch}`, "APT::Sandbox::User=root"],
  ].flatMap((setting) => ["-o", setting]);
  const run = (program: string, ...args: readonly string[]) =>
    execFileSync(program, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  /** Downloads and unpacks packages. Returns their sources. */
  const unpack = (packages: readonly string[]) => {
    run("apt-get", "-qq", ...settings, "download", ...packages);
    const made = readdirSync(folder).flatMap((file) => {
      if (!file.endsWith(".deb")) return [];
      run("dpkg-deb", "--extract", file, ".");
      const format = "--showformat=${source:Package} ${source:Version}";
      const source = run("dpkg-deb", "--show", format, file);
      rmSync(path.join(folder, file));
      return [source];
    });
    return [...new Set(made)].map((source) => {
      const [name = "", version = ""] = source.split(" ");
      return { name, version };
    });
  };
  try {
    mkdirSync(path.join(folder, "lists/partial"), { recursive: true });
    run("apt-get", "-qq", ...settings, "update");
    const sources = unpack(Object.keys(names));
    // GCC's base package contains the license of its libraries.
    unpack(sources.flatMap(({ name }) => (name.startsWith("gcc-") ? [`${name}-base`] : [])));
    run(`${triple}-gcc`, ...flags, "-o", "start", path.join(import.meta.dirname, "start.c"));
    const folders = ["lib", "usr/lib"].map((name) => path.join(folder, name, triple)).filter(existsSync);
    const files = folders.flatMap((libraries) =>
      readdirSync(libraries).map((name) => path.join(libraries, name)),
    );
    const library = (wanted: string) => {
      const found = files.find((file) => path.basename(file).startsWith(wanted));
      if (found === undefined) throw new Error(`Debian's packages do not contain ${wanted}.`);
      return readFileSync(found);
    };
    const licenses = ["libc6", "libstdc++6"].map((name) => `usr/share/doc/${name}/copyright`);
    const terms = ["LGPL-2.1", "GPL-3"].map((name) => `/usr/share/common-licenses/${name}`);
    return {
      start: readFileSync(path.join(folder, "start")),
      loader: library("ld-linux-"),
      libraries: new Map(Object.values(names).flatMap((some) => some.map((name) => [name, library(name)]))),
      sources,
      licenses: [
        `Libraries of Debian: ${sources.map(({ name, version }) => `${name} ${version}`).join(", ")}`,
        ...[...licenses, ...terms].map((file) => readFileSync(path.resolve(folder, file), "utf8")),
      ].join(licenseSeparator),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
