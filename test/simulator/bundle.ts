import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { build, type Plugin } from "esbuild";
import { type KnockOut, knockOuts } from "./knock-outs.js";

const root = path.resolve(import.meta.dirname, "../..");
const cache = path.join(root, "node_modules/.cache/simulator");

/**
 * Bundles the simulator and the simulated code with a switch for each rule in knock-outs.ts. `globalThis.takenOut`
 * names the disabled rule.
 */
export async function bundleWithSwitches(entry: string): Promise<{ file: string; remove(): void }> {
  mkdirSync(cache, { recursive: true });
  const file = path.join(cache, `${path.basename(entry, ".ts")}-${process.pid}.mjs`);
  await build({
    entryPoints: [path.join(import.meta.dirname, entry)],
    outfile: file,
    ...{ bundle: true, platform: "node", format: "esm", packages: "external", logLevel: "error" },
    plugins: [switches],
  });
  return { file, remove: () => rmSync(file, { force: true }) };
}

const switches: Plugin = {
  name: "switches",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path: loaded }) => {
      const own = knockOuts.filter(({ file }) => path.join(root, "src", file) === loaded);
      if (own.length === 0) return undefined;
      return { contents: own.reduce(addSwitch, readFileSync(loaded, "utf8")), loader: "ts" };
    });
  },
};

function addSwitch(source: string, { rule, file, text, by }: KnockOut): string {
  const parts = source.split(text);
  if (parts.length !== 2)
    throw new Error(`${file} contains ${JSON.stringify(text)} ${parts.length - 1} times instead of once`);
  const isOut = `(globalThis as any).takenOut === ${JSON.stringify(rule)}`;
  const switched = by.endsWith(";")
    ? `if (${isOut}) { ${by} } else { ${text} }`
    : `(${isOut} ? (${by}) : (${text}))`;
  return parts.join(switched);
}
