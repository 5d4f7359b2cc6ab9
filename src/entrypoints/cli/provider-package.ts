import { chmod, cp, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../base/diagnostics/index.js";
import { packageFolder } from "../../base/version/index.js";

/** The Terraform provider shipped with this package: a folder that terraform can start it from. */
export interface ProviderPackage {
  readonly folder: string;
  readonly version: string;
}

/** The executable's name; the version is appended. */
const launcher = "terraform-provider-avatarops_v";
const shipped = path.join(packageFolder, "dist/terraform/package");

/** @throws UsageError if there is none, as in a checkout without a build. */
export async function providerPackage(): Promise<ProviderPackage> {
  const names = await readdir(shipped).catch(() => []);
  const [version] = names.flatMap((name) => (name.startsWith(launcher) ? [name.slice(launcher.length)] : []));
  if (version !== undefined) return { folder: shipped, version };
  throw new UsageError(
    "no-provider",
    `The Terraform provider is not in ${shipped}. In a checkout, run \`npm run build\`; otherwise reinstall avatarops.`,
  );
}

/**
 * Copies the package to its place in a mirror. Writes to a temporary folder and renames it, so that a running
 * terraform finds a complete package or none.
 */
export async function placePackage(
  { folder, version }: ProviderPackage,
  target: string,
  newId: () => string,
): Promise<"new" | "unchanged" | "replaced"> {
  const present = await filesIn(target);
  const next = (await filesIn(folder)) ?? new Map<string, Buffer>();
  if (present?.size === next.size && [...present].every(([name, bytes]) => next.get(name)?.equals(bytes)))
    return "unchanged";
  // Beside the version folders: terraform does not take this name for a version.
  const aside = path.join(path.dirname(target), "..", `.aside-${newId()}`);
  await mkdir(path.dirname(target), { recursive: true });
  try {
    await cp(folder, path.join(aside, "next"), { recursive: true });
    // Some package managers drop the executable bit.
    await chmod(path.join(aside, "next", `${launcher}${version}`), 0o755);
    if (present) await rename(target, path.join(aside, "before"));
    await rename(path.join(aside, "next"), target);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  return present ? "replaced" : "new";
}

/** File contents by name; undefined if there is no folder. */
async function filesIn(folder: string): Promise<Map<string, Buffer> | undefined> {
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
