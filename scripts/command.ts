/**
 * Bundles the command for `npm run build`, so that Node reads one file instead of two hundred. The HTTP
 * client is a separate file, because only some commands need it. The packages that run TypeScript and render
 * templates are loaded from the dependencies.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Plugin } from "esbuild";
import { commands } from "../src/entrypoints/cli/commands.js";
import {
  bundle,
  bundleLibrary,
  collectLicenses,
  deferBuiltins,
  generateStart,
  replaceFolder,
  root,
  splitImports,
} from "./bundle/bundle.js";
import { direct } from "./bundle/direct.js";
import { readOwnPackage } from "./terraform/package.js";

/** Node modules that take a millisecond or more to load and that many commands never use. */
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

/** Shares picomatch with tinyglobby, which would otherwise load another copy from the dependencies at each start. */
const withoutOwnPatterns: Plugin = {
  name: "without-own-patterns",
  setup: (build) =>
    build.onLoad({ filter: /\/fdir\/dist\/index\.mjs$/ }, async ({ path: file }) => {
      const text = await readFile(file, "utf8");
      const contents = text.replace(
        /__require\.resolve\("picomatch"\);\s*pm = __require\("picomatch"\);/,
        "",
      );
      if (contents === text)
        throw new Error("fdir no longer loads picomatch as expected. Adapt this replacement.");
      return { contents };
    }),
};

const { engines, peerDependencies } = await readOwnPackage();
const node = engines.node.replace(/^>=/, "");
const [command, undici] = await Promise.all([
  bundle('import "./src/entrypoints/cli/main.ts";', {
    plugins: [splitImports(["undici"]), direct, deferBuiltins(lateModules), withoutOwnPatterns],
    external: ["@handlebars/parser", "jiti", "constructs", ...Object.keys(peerDependencies)],
  }),
  bundleLibrary("undici"),
]);
const files: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ type: "commonjs" })}\n`,
  "THIRD-PARTY-LICENSES.txt": await collectLicenses([command, undici]),
  "main.js": `#!/usr/bin/env node\n${await generateStart({
    file: "command.cjs",
    text: command.text,
    otherBundles: { "undici.cjs": undici.text },
    node,
    rejection: `console.error("avatarops runs on Node.js ${node} or later, and this is " + process.version + ".");`,
    versionIn: "../../package.json",
    commands: [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? name))],
  })}`,
  "command.cjs": command.text,
  "undici.cjs": undici.text,
};
const built = Object.entries(files).map(([name, text]) => ({
  name,
  text,
  mode: name === "main.js" ? 0o755 : 0o644,
}));
await replaceFolder(path.join(root, "dist/cli"), built);
