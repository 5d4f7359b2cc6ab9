/**
 * Builds `avatarops/cdktf` and `avatarops/cdktn` from the same sources, written against `cdktn`. Unlike the rest of the
 * package, they are CommonJS: projects from CDKTF's template can `require` them, and ES modules can import them.
 */
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { libraries } from "./cdktf/libraries.js";

const emitted = await mkdtemp(path.join(tmpdir(), "avatarops-types-"));
execFileSync("tsc", ["-p", "scripts/cdktf/tsconfig.json", "--outDir", emitted], { stdio: "inherit" });
for (const [library, rewrite] of Object.entries(libraries)) {
  const folder = `dist/entrypoints/${library}`;
  await rm(folder, { recursive: true, force: true });
  for (const [file, text] of await collectDeclarations("index.d.ts", rewrite)) {
    await write(`${folder}/${file}`, text);
  }
  await write(`${folder}/package.json`, `${JSON.stringify({ type: "commonjs" })}\n`);
  await bundle(`${folder}/index.js`, rewrite);
}
await rm(emitted, { recursive: true });

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** Returns the types reachable from a file, including its own. */
async function collectDeclarations(
  file: string,
  rewrite: (text: string) => string,
  found = new Map<string, string>(),
): Promise<Map<string, string>> {
  if (found.has(file)) return found;
  const text = rewrite(await readFile(path.join(emitted, "entrypoints/cdktf", file), "utf8"));
  found.set(file, text);
  for (const [, specifier = ""] of text.matchAll(/from ["'](\.[^"']+)\.js["']/g)) {
    await collectDeclarations(path.posix.join(path.posix.dirname(file), `${specifier}.d.ts`), rewrite, found);
  }
  return found;
}

async function bundle(outfile: string, rewrite: (text: string) => string): Promise<void> {
  await build({
    entryPoints: ["src/entrypoints/cdktf/index.ts"],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "cjs",
    packages: "external",
    // Keeps class names, because a construct has the same name as its binding.
    keepNames: true,
    logLevel: "warning",
    plugins: [
      {
        name: "library",
        setup({ onLoad }) {
          onLoad({ filter: /entrypoints[\\/]cdktf[\\/].+\.ts$/ }, async (file) => ({
            contents: rewrite(await readFile(file.path, "utf8")),
            loader: "ts",
          }));
        },
      },
    ],
  });
}
