import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { executablePath } from "../../base/optional-packages/index.js";
import { packageFolder, version } from "../../base/version/index.js";

/** Terraform provider shipped with this package. */
export interface ProviderPackage {
  /** File contents by name. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly version: string;
}

/** Prefix of the executable's name, followed by the version. */
const launcher = "terraform-provider-avatarops_v";
const shipped = path.join(packageFolder, "dist/terraform/package");

/**
 * Reads the provider. In a release executable, returns the executable itself, which runs as the provider if its file
 * name starts with `launcher`. @throws UsageError in a checkout without a build.
 */
export async function readProviderPackage(): Promise<ProviderPackage> {
  if (executablePath) {
    const { ext } = path.parse(executablePath);
    return { version, files: new Map([[`${launcher}${version}${ext}`, await readFile(executablePath)]]) };
  }
  const files = (await readFolder(shipped)) ?? new Map<string, Buffer>();
  const found = [...files.keys()].find((name) => name.startsWith(launcher));
  if (found !== undefined) return { files, version: found.slice(launcher.length) };
  throw new UsageError(
    "no-provider",
    `The Terraform provider is not in ${shipped}. In a checkout, run \`npm run build\`. Otherwise, reinstall avatarops.`,
  );
}

/**
 * Copies the package into a mirror folder. The final rename ensures that a running terraform finds a complete package
 * or none.
 */
export async function installPackage(
  { files }: ProviderPackage,
  target: string,
  newId: () => string,
): Promise<void> {
  // The folder is next to the version folders, under a name that terraform does not read as a version.
  const aside = path.join(path.dirname(target), "..", `.aside-${newId()}`);
  await mkdir(path.dirname(target), { recursive: true });
  try {
    await mkdir(path.join(aside, "next"), { recursive: true });
    for (const [name, bytes] of files)
      await writeFile(path.join(aside, "next", name), bytes, {
        mode: name.startsWith(launcher) ? 0o755 : 0o644,
      });
    if (existsSync(target)) await rename(target, path.join(aside, "before"));
    await rename(path.join(aside, "next"), target);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Reads file contents by name. Returns undefined if the folder does not exist. */
async function readFolder(folder: string): Promise<Map<string, Buffer> | undefined> {
  try {
    const names = await readdir(folder);
    return new Map(
      await Promise.all(names.map(async (name) => [name, await readFile(path.join(folder, name))] as const)),
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
