/**
 * Writes the files of a release: `npm run release:executables -- --version 1.2.3`. Each platform gets an archive with
 * the command and one with the provider. Both contain the same executable. The release also contains Debian packages,
 * an SBOM and checksums.
 *
 * The same sources result in the same bytes. The checksums are signed elsewhere, so this script needs no private key.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { root } from "./bundle/bundle.js";
import { buildExecutable } from "./executables/build.js";
import { licenseFiles, writeContent } from "./executables/content.js";
import { writeDebianPackage } from "./executables/debian.js";
import { downloadLibraries, type Libraries } from "./executables/libraries.js";
import { findMakerPlatform, platforms } from "./executables/platforms.js";
import { describeContent } from "./executables/sbom.js";
import { pack, writeZip } from "./executables/zip.js";
import { readOptions } from "./options.js";

const usage =
  "npm run release:executables -- [--version VERSION] [--out FOLDER] [--executables FOLDER] [--platform NAME]…";
const { values } = readOptions(usage, {
  options: {
    version: { type: "string" },
    out: { type: "string", default: path.join(root, "dist/release") },
    executables: { type: "string", default: path.join(root, "dist/executables") },
    platform: { type: "string", multiple: true, default: platforms.map(({ name }) => name) },
  },
});
const { version = "", out, executables } = values;
if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) {
  console.error(
    "Add the version without a leading v, as in `npm run release:executables -- --version 1.2.3`.",
  );
  process.exit(1);
}

const chosen = platforms.filter(({ name }) => values.platform.includes(name));
const known = platforms.map(({ name }) => name);
const unknown = values.platform.filter((name) => !known.some((one) => one === name));
if (unknown.length > 0)
  throw new Error(`Unknown platform ${unknown.join(", ")}. Use one of: ${known.join(", ")}.`);
for (const { name, node, tools } of new Set([findMakerPlatform(), ...chosen])) {
  tools.install();
  // npm does not fail if the package for a platform is missing.
  if (!existsSync(node))
    throw new Error(`npm installed no Node for ${name}. Remove ${tools.path} and retry.`);
}
await mkdir(out, { recursive: true });
const content = path.join(executables, "content");
await writeContent(content, version);

const [command, provider] = [`avatarops_${version}`, `terraform-provider-avatarops_${version}`];
const licenses = licenseFiles.map((name) => [name, 0o644, pack(path.join(content, name))] as const);
const commandFiles = [`${command}.cdx.json`];
const providerFiles = [`${provider}_manifest.json`];
// Without this file, a registry would assume protocol 5.
const manifest = { version: 1, metadata: { protocol_versions: ["6.0"] } };
await writeFile(path.join(out, `${provider}_manifest.json`), `${JSON.stringify(manifest)}\n`);

const sources: Libraries["sources"][number][] = [];
for (const platform of chosen) {
  const { name, terraform, triple, ending } = platform;
  const arch = terraform.replace(/.*_/, "");
  const executable = path.join(executables, name, `avatarops${ending}`);
  await mkdir(path.dirname(executable), { recursive: true });
  const libraries = triple === undefined ? undefined : downloadLibraries(arch, triple);
  sources.push(...(libraries?.sources ?? []));
  const libraryLicenses = path.join(path.dirname(executable), "LIBRARIES-LICENSES.txt");
  if (libraries) await writeFile(libraryLicenses, libraries.licenses);
  buildExecutable(platform, content, executable, libraries);
  const packed = pack(executable);
  const terms = libraries ? [[path.basename(libraryLicenses), 0o644, pack(libraryLicenses)] as const] : [];
  const archive = (file: string, entry: string) => {
    writeZip(path.join(out, file), [...licenses, ...terms, [entry + ending, 0o755, packed]]);
    return file;
  };
  providerFiles.push(archive(`${provider}_${terraform}.zip`, `terraform-provider-avatarops_v${version}`));
  commandFiles.push(archive(`${command}_${name}.zip`, "avatarops"));
  if (libraries) {
    const debian = `avatarops_${version}_${arch}.deb`;
    writeDebianPackage(path.join(out, debian), {
      executable,
      arch,
      version,
      folder: content,
      libraryLicenses,
    });
    commandFiles.push(debian);
  }
  console.log(`${name}: ${executable}`);
}
await writeFile(path.join(out, `${command}.cdx.json`), describeContent(content, version, sources));

const providerSums = await writeSums(provider, providerFiles);
await writeSums(command, commandFiles);
console.log(`Wrote ${out}. Sign the checksums of the provider with an RSA key, and upload all with the signature as the
release v${version}:

    gpg --detach-sign --local-user KEY --output "${providerSums}.sig" "${providerSums}"`);

/** Writes checksums in the format of `sha256sum`. */
async function writeSums(name: string, files: readonly string[]): Promise<string> {
  const lines = files.toSorted().map(async (file) => {
    const digest = createHash("sha256").update(await readFile(path.join(out, file)));
    return `${digest.digest("hex")}  ${file}\n`;
  });
  const target = path.join(out, `${name}_SHA256SUMS`);
  await writeFile(target, (await Promise.all(lines)).join(""));
  return target;
}
