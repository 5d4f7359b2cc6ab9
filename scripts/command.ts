/**
 * Writes the command, as part of `npm run build`: one file instead of two hundred that Node would have to
 * find and read. What only some commands need is left out: the HTTP client is a file beside it; what runs
 * TypeScript and what reads templates is loaded from the dependencies.
 */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Plugin } from "esbuild";
import { commands } from "../src/entrypoints/cli/commands.js";
import { apart, bundle, bundleLibrary, late, licencesOf, root, start } from "./bundle/bundle.js";
import { direct } from "./bundle/direct.js";
import { ownPackage } from "./terraform/package.js";

/** Modules of Node that take a millisecond or more to load, and that many commands never use. */
const lateModules = [
  "child_process",
  "crypto",
  "fs/promises",
  "http",
  "net",
  "readline/promises",
  "tty",
  "worker_threads",
  "zlib",
];

/** tinyglobby has its patterns in the bundle; what it finds files with would read its own from the dependencies at each start. */
const withoutOwnPatterns: Plugin = {
  name: "without-own-patterns",
  setup: (build) =>
    build.onLoad({ filter: /\/fdir\/dist\/index\.mjs$/ }, async ({ path: file }) => {
      const text = await readFile(file, "utf8");
      const contents = text.replace(
        /__require\.resolve\("picomatch"\);\s*pm = __require\("picomatch"\);/,
        "",
      );
      if (contents === text) throw new Error("fdir loads picomatch in another way than it did: see how");
      return { contents };
    }),
};

const { engines, peerDependencies } = await ownPackage();
const node = engines.node.replace(/^>=/, "");
const [command, undici] = await Promise.all([
  bundle('import "./src/entrypoints/cli/main.ts";', {
    plugins: [apart(["undici"]), direct, late(lateModules), withoutOwnPatterns],
    external: ["@handlebars/parser", "jiti", "constructs", ...Object.keys(peerDependencies)],
  }),
  bundleLibrary("undici"),
]);
const files: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ type: "commonjs" })}\n`,
  "THIRD-PARTY-LICENSES.txt": await licencesOf([command, undici]),
  "main.js": `#!/usr/bin/env node\n${await start({
    file: "command.cjs",
    text: command.text,
    beside: { "undici.cjs": undici.text },
    node,
    refuse: `console.error("avatarops runs on Node.js ${node} or later, and this is " + process.version + ".");`,
    versionIn: "../../package.json",
    commands: [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? name))],
  })}`,
  "command.cjs": command.text,
  "undici.cjs": undici.text,
};
const target = path.join(root, "dist/cli");
// Written to a temporary file and renamed: a command started meanwhile never sees half of it.
const aside = `${target}.next`;
await rm(aside, { recursive: true, force: true });
await mkdir(aside, { recursive: true });
for (const [name, text] of Object.entries(files)) {
  await writeFile(path.join(aside, name), text, { mode: name === "main.js" ? 0o755 : 0o644 });
}
await rm(target, { recursive: true, force: true });
await rename(aside, target);
