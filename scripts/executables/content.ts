import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { globSync } from "tinyglobby";
import {
  bundle,
  bundleLibrary,
  collectLicenses,
  licenseSeparator,
  readSource,
  root,
} from "../bundle/bundle.js";
import { generatePackageFiles, readOwnPackage } from "../terraform/package.js";
import { findMakerPlatform } from "./platforms.js";

/*
 * Writes the content of an executable: the built command and provider in npm's layout, so that their code needs no
 * changes. Node mounts the content as a read-only folder (`useVfs`). Each library is bundled into one file, because a
 * thousand files would take 35 ms of CPU at each start.
 */

const own = "node_modules/avatarops";

/**
 * Entry point. Acts as the provider if the executable has terraform's name for a provider. Adds the system's
 * certificates when a connection first needs them, because `--use-system-ca` would parse them in all three processes of
 * a plan (30 ms of CPU each).
 */
const main = `function trustSystem() {
  const tls = require("node:tls");
  const { connect } = tls;
  tls.connect = (...given) => {
    tls.connect = connect;
    tls.setDefaultCACertificates([...tls.getCACertificates("default"), ...tls.getCACertificates("system")]);
    return connect(...given);
  };
}
const isProvider = require("node:path").basename(process.argv0).startsWith("terraform-provider-");
require(isProvider ? "./terraform/start.cjs" : "./${own}/dist/cli/main.js");
// Before anything connects, and after the handshake, which terraform waits for.
setImmediate(trustSystem);
`;

/** Packages that are bundled into one file each: for templates, TypeScript projects and metrics. */
const whole = ["@handlebars/parser", "constructs", "prom-client"];

/**
 * Files of jiti for the policy function thread, which imports jiti by its package name. Other code uses the bundled
 * copy.
 */
const jiti = ["package.json", "lib/jiti.cjs", "dist/jiti.cjs", "dist/babel.cjs"];

/** Our license file and the one that covers all bundled packages. */
export const licenseFiles = ["LICENSE", "THIRD-PARTY-LICENSES.txt"];

/** Writes the content of an executable into a folder, after a build. `main.cjs` is its entry point. */
export async function writeContent(folder: string, version: string): Promise<void> {
  const { peerDependencies, ...facts } = await readOwnPackage();
  const library = await bundle('export * from "./src/index.ts";', {
    external: Object.keys(peerDependencies),
  });
  const packages = await Promise.all(whole.map(async (name) => ({ name, ...(await bundleLibrary(name)) })));
  const provider = await generatePackageFiles(version);
  const others = await collectLicenses([library, ...packages, await bundle('require("jiti")')]);
  const { text: ofProvider = "" } = provider.find(({ name }) => name === "THIRD-PARTY-LICENSES.txt") ?? {};
  const licenses = [
    // The license file next to `bin` covers Node and the libraries in it.
    `Node.js\n\n${await readFile(path.join(findMakerPlatform().node, "../../LICENSE"), "utf8")}`,
    ...[await readSource("dist/cli/THIRD-PARTY-LICENSES.txt"), ofProvider, others].flatMap((text) =>
      text.split(licenseSeparator),
    ),
  ];
  // Removes `type`, because these files are CommonJS.
  const { type: _, ...described } = { ...facts, version } as { readonly type?: string };
  const texts: Readonly<Record<string, string>> = {
    LICENSE: await readSource("LICENSE"),
    "THIRD-PARTY-LICENSES.txt": [...new Set(licenses)].join(licenseSeparator),
    "main.cjs": main,
    ...Object.fromEntries(
      packages.flatMap(({ name, text }) => [
        [`node_modules/${name}/package.json`, JSON.stringify({ name })],
        [`node_modules/${name}/index.js`, text],
      ]),
    ),
    [`${own}/package.json`]: JSON.stringify(described),
    [`${own}/dist/index.cjs`]: library.text,
    ...Object.fromEntries(
      provider.flatMap(({ name, text }) => (name.endsWith(".cjs") ? [[`terraform/${name}`, text]] : [])),
    ),
  };
  await rm(folder, { recursive: true, force: true });
  for (const [name, text] of Object.entries(texts)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  const copied = [
    ...["main.js", "command.cjs", "undici.cjs"].map((name) => [
      `dist/cli/${name}`,
      `${own}/dist/cli/${name}`,
    ]),
    ...globSync("docs/*.md", { cwd: root }).map((name) => [name, `${own}/${name}`]),
    ...jiti.map((name) => [`node_modules/jiti/${name}`, `node_modules/jiti/${name}`]),
  ];
  for (const [from = "", to = ""] of copied) await cp(path.join(root, from), path.join(folder, to));
}
