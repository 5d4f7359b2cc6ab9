/**
 * Writes the Terraform provider as part of `npm run build`, on its own for `avatarops terraform install`, and as a
 * filesystem mirror for all platforms, which a team can put on a shared disk.
 */
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { root } from "./bundle/bundle.js";
import { address, generatePackageFiles, platforms, readOwnPackage } from "./terraform/package.js";

const { version } = await readOwnPackage();
const files = await generatePackageFiles(version);
const target = path.join(root, "dist/terraform");
// Writes a temporary folder and renames it, so that terraform never reads a half-written folder.
const aside = `${target}.next`;
await rm(aside, { recursive: true, force: true });
for (const folder of ["package", ...platforms.map((platform) => path.join(address, version, platform))]) {
  await mkdir(path.join(aside, folder), { recursive: true });
  for (const { name, text, mode } of files) await writeFile(path.join(aside, folder, name), text, { mode });
}
await rm(target, { recursive: true, force: true });
await rename(aside, target);
