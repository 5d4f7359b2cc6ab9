import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { goToolIn } from "../go-tools.js";
import { writeContent } from "./content.js";
import { downloadLibraries } from "./libraries.js";
import { type LinuxParts, withLibraries, withoutSymbols } from "./linux.js";
import { makerPlatform, type Platform } from "./platforms.js";

/** Signs a program for macOS without a certificate. */
const signer = goToolIn("macho-sign", "a signer for macOS, 20 seconds");

/**
 * Makes the executable of a platform from a folder of `writeContent`, for Linux with the libraries that Node needs: the same files
 * give the same bytes. Written beside it first.
 *
 * @throws Error where this machine has no Node that can make executables.
 */
export function buildExecutable(
  { name, node, ending }: Platform,
  folder: string,
  file: string,
  libraries?: LinuxParts,
): void {
  const [content, target] = [path.resolve(folder), path.resolve(file)];
  const maker = makerPlatform().node;
  const aside = `${target}.${process.pid}`;
  const [base, config] = [`${aside}.node${ending}`, `${aside}.json`];
  const files = readdirSync(content, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted();
  const bytes = readFileSync(node);
  writeFileSync(base, libraries ? withoutSymbols(bytes) : bytes);
  const settings = {
    // Its path is kept in the executable.
    main: "main.cjs",
    output: `${aside}${ending}`,
    executable: base,
    disableExperimentalSEAWarning: true,
    // NODE_OPTIONS belong to the user's own programs: a preload that prints would break the provider's handshake.
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
    if (libraries) writeFileSync(made, withLibraries(readFileSync(made), libraries));
    if (name.startsWith("darwin")) sign(made);
    chmodSync(made, 0o755);
    renameSync(made, target);
  } finally {
    for (const file of [base, config]) rmSync(file, { force: true });
  }
}

function sign(file: string): void {
  signer.build();
  execFileSync(signer.program, [file], { stdio: "inherit" });
}

/** Makes the executable for this machine in a folder, as for a release, and returns its path. */
export async function buildForThisMachine(folder: string, version: string): Promise<string> {
  const platform = makerPlatform();
  platform.tools.install();
  const content = path.join(folder, "content");
  await writeContent(content, version);
  const { terraform, triple = "" } = platform;
  const libraries = downloadLibraries(terraform.replace(/.*_/, ""), triple);
  const file = path.join(folder, "avatarops");
  buildExecutable(platform, content, file, libraries);
  return file;
}
