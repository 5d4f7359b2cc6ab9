import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { tools } from "../tools.js";
import { writeContent } from "./content.js";
import { downloadLibraries } from "./libraries.js";
import { addLibraries, type LinuxParts, removeSymbols } from "./linux.js";
import { findMakerPlatform, type Platform } from "./platforms.js";

/**
 * Builds a platform's executable from a folder written by `writeContent`, with the libraries that Node needs on Linux.
 * The same files result in the same bytes.
 * @throws Error if no Node on this machine can build executables
 */
export function buildExecutable(
  { name, node, ending }: Platform,
  folder: string,
  file: string,
  libraries?: LinuxParts,
): void {
  const [content, target] = [path.resolve(folder), path.resolve(file)];
  const maker = findMakerPlatform().node;
  const aside = `${target}.${process.pid}`;
  const [base, config] = [`${aside}.node${ending}`, `${aside}.json`];
  const files = readdirSync(content, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted();
  const bytes = readFileSync(node);
  writeFileSync(base, libraries ? removeSymbols(bytes) : bytes);
  const settings = {
    // A relative path, because the executable contains it and must not depend on the folder.
    main: "main.cjs",
    output: `${aside}${ending}`,
    executable: base,
    disableExperimentalSEAWarning: true,
    // Ignores NODE_OPTIONS, which are meant for other programs. A preload that prints would break the provider's
    // handshake.
    execArgvExtension: "none",
    execArgv: ["--disable-warning=ExperimentalWarning"],
    useVfs: true,
    assets: Object.fromEntries(
      files.map((file) => [path.relative(content, file).replaceAll(path.sep, "/"), file]),
    ),
  };
  writeFileSync(config, JSON.stringify(settings));
  try {
    chmodSync(maker, 0o755);
    execFileSync(maker, ["--build-sea", config], {
      cwd: content,
      stdio: ["ignore", "ignore", "inherit"],
    });
    const made = settings.output;
    if (libraries) writeFileSync(made, addLibraries(readFileSync(made), libraries));
    if (name.startsWith("darwin")) sign(made);
    chmodSync(made, 0o755);
    renameSync(made, target);
  } finally {
    for (const file of [base, config]) rmSync(file, { force: true });
  }
}

/** Signs a program for macOS without a certificate. */
function sign(file: string): void {
  tools["macho-sign"].install();
  execFileSync(tools["macho-sign"].path, [file], { stdio: "inherit" });
}

/** Builds the executable for this machine in a folder, as for a release. Returns its path. */
export async function buildForThisMachine(folder: string, version: string): Promise<string> {
  const platform = findMakerPlatform();
  platform.tools.install();
  const content = path.join(folder, "content");
  await writeContent(content, version);
  const { terraform, triple = "" } = platform;
  const libraries = downloadLibraries(terraform.replace(/.*_/, ""), triple);
  const file = path.join(folder, "avatarops");
  buildExecutable(platform, content, file, libraries);
  return file;
}
