/**
 * Writes the files of a provider release for a registry: `npm run release:terraform -- --version 1.2.3`. The
 * same sources give the same bytes. The releaser adds the signature, so the private key is never needed here.
 */
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Zippable, zipSync } from "fflate";
import { root } from "./bundle/bundle.js";
import { type PackageFile, packageFiles, platforms } from "./terraform/package.js";

const { values } = parseArgs({
  options: { version: { type: "string" }, out: { type: "string", default: path.join(root, "dist/release") } },
});
const { version = "", out } = values;
if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) {
  console.error(
    "Name the version, as in `npm run release:terraform -- --version 1.2.3`, without a leading v.",
  );
  process.exit(1);
}

const name = `terraform-provider-avatarops_${version}`;
const archive = zipOf(await packageFiles(version));
// Without it a registry would assume protocol 5.
const manifest = Buffer.from(`${JSON.stringify({ version: 1, metadata: { protocol_versions: ["6.0"] } })}\n`);
const assets: Readonly<Record<string, Uint8Array>> = {
  ...Object.fromEntries(platforms.map((platform) => [`${name}_${platform}.zip`, archive])),
  [`${name}_manifest.json`]: manifest,
};
const sums = Object.entries(assets).map(([file, bytes]) => `${sha256(bytes)}  ${file}\n`);

await mkdir(out, { recursive: true });
for (const [file, bytes] of Object.entries(assets)) await writeFile(path.join(out, file), bytes);
const sumsFile = path.join(out, `${name}_SHA256SUMS`);
await writeFile(sumsFile, sums.join(""));
console.log(`Wrote ${Object.keys(assets).length + 1} files into ${out}. Sign them with an RSA key, and upload all with
the signature as the release v${version}:

    gpg --detach-sign --local-user KEY --output "${sumsFile}.sig" "${sumsFile}"`);

/**
 * Times and order are fixed; the launcher stays executable, because terraform takes the mode from the
 * archive.
 */
function zipOf(files: readonly PackageFile[]): Uint8Array {
  const unix = 3;
  const regularFile = 0o100000;
  // Zip has local times only, and fflate takes them from the time zone of this machine: so does this date.
  const mtime = new Date(2000, 0, 1);
  const entries = [...files]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, text, mode }): [string, Zippable[string]] => [
      name,
      [Buffer.from(text), { os: unix, attrs: (regularFile | mode) << 16, mtime, level: 9 }],
    ]);
  return zipSync(Object.fromEntries(entries));
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
