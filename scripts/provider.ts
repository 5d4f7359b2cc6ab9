/**
 * Writes the Terraform provider as part of `npm run build`: once for `avatarops terraform install`, and once as a
 * filesystem mirror for all platforms, which a team can put on a shared disk.
 */
import path from "node:path";
import { replaceFolder, root } from "./bundle/bundle.js";
import { address, generatePackageFiles, platforms, readOwnPackage } from "./terraform/package.js";

const { version } = await readOwnPackage();
const files = await generatePackageFiles(version);
const folders = ["package", ...platforms.map((platform) => path.join(address, version, platform))];
const copies = folders.flatMap((folder) =>
  files.map((file) => ({ ...file, name: path.join(folder, file.name) })),
);
await replaceFolder(path.join(root, "dist/terraform"), copies);
