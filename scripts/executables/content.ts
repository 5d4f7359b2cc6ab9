import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { globSync } from "tinyglobby";
import { bundle, bundleLibrary, licenceSeparator, licencesOf, root } from "../bundle/bundle.js";
import { ownPackage, packageFiles } from "../terraform/package.js";
import { makerPlatform } from "./platforms.js";

/*
 * What is in an executable: the command and the provider as they were built, where npm would have put them, so that they
 * need not know. Node mounts it as a folder that can only be read (`useVfs`). A thousand files would cost 35 ms of CPU at
 * each start: hence one file a library.
 */

const own = "node_modules/avatarops";

/**
 * Under the name by which terraform looks for a provider, an executable is one. The system's certificates are added when a connection
 * first needs them: `--use-system-ca` parses them in every process that loads node:tls, 30 ms of CPU in each of three for a plan.
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

/** Packages in one file each: the last two are what `sync` needs. */
const whole = ["@handlebars/parser", "constructs", "prom-client"];

/** As its author bundled it: the thread of policy functions imports it by its exports, too. */
const jiti = ["package.json", "lib/jiti.cjs", "dist/jiti.cjs", "dist/babel.cjs"];

/** Ours, and those of everything inside. */
export const licenceFiles = ["LICENSE", "THIRD-PARTY-LICENSES.txt"];

/** Writes into a folder what is in an executable, after a build; `main.cjs` is its beginning. */
export async function writeContent(folder: string, version: string): Promise<void> {
  const { peerDependencies, ...facts } = await ownPackage();
  const library = await bundle('export * from "./src/index.ts";', {
    external: Object.keys(peerDependencies),
  });
  const packages = await Promise.all(whole.map(async (name) => ({ name, ...(await bundleLibrary(name)) })));
  const provider = await packageFiles(version);
  const others = await licencesOf([library, ...packages, await bundle('require("jiti")')]);
  const { text: ofProvider = "" } = provider.find(({ name }) => name === "THIRD-PARTY-LICENSES.txt") ?? {};
  const licences = [
    // Beside `bin`: the terms of Node and of what it is made of.
    `Node.js\n\n${await read(path.join(makerPlatform().node, "../../LICENSE"))}`,
    ...[await read("dist/cli/THIRD-PARTY-LICENSES.txt"), ofProvider, others].flatMap((text) =>
      text.split(licenceSeparator),
    ),
  ];
  // Without its `type`: what lies there is CommonJS.
  const { type: _, ...described } = { ...facts, version } as { readonly type?: string };
  const texts: Readonly<Record<string, string>> = {
    LICENSE: await read("LICENSE"),
    "THIRD-PARTY-LICENSES.txt": [...new Set(licences)].join(licenceSeparator),
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

function read(file: string): Promise<string> {
  return readFile(path.resolve(root, file), "utf8");
}
