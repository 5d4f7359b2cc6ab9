/**
 * Builds `avatarops/cdktf` and `avatarops/cdktn`. Both are CommonJS, unlike the rest of the package: so are
 * the projects from CDKTF's own template, and ES modules can import it, too. The sources are written once,
 * against `cdktf`; for `cdktn` the names are replaced.
 */
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";

const flavours = ["cdktf", "cdktn"] as const;
type Flavour = (typeof flavours)[number];

function outputFolder(flavour: Flavour): string {
  return `dist/entrypoints/${flavour}`;
}

const emitted = await mkdtemp(path.join(tmpdir(), "avatarops-types-"));
execFileSync("tsc", ["-p", "scripts/cdktf/tsconfig.json", "--outDir", emitted], { stdio: "inherit" });
for (const flavour of flavours) {
  await rm(outputFolder(flavour), { recursive: true, force: true });
  for (const [file, text] of await declarationsFrom("index.d.ts", flavour)) {
    await write(`${outputFolder(flavour)}/${file}`, text);
  }
  await write(`${outputFolder(flavour)}/package.json`, `${JSON.stringify({ type: "commonjs" })}\n`);
  await bundle(flavour);
}
await rm(emitted, { recursive: true });

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** The types reachable from a file, including its own, for a flavour. */
async function declarationsFrom(
  file: string,
  flavour: Flavour,
  found = new Map<string, string>(),
): Promise<Map<string, string>> {
  if (found.has(file)) return found;
  const text = written(await readFile(path.join(emitted, "entrypoints/cdktf", file), "utf8"), flavour);
  found.set(file, text);
  for (const [, specifier = ""] of text.matchAll(/from ["'](\.[^"']+)\.js["']/g)) {
    await declarationsFrom(path.posix.join(path.posix.dirname(file), `${specifier}.d.ts`), flavour, found);
  }
  return found;
}

/** A source file as it would be written for a flavour; each flavour has its own bindings. */
function written(text: string, flavour: Flavour): string {
  return text.replaceAll('"cdktf"', `"${flavour}"`).replaceAll("/generated/cdktf/", `/generated/${flavour}/`);
}

async function bundle(flavour: Flavour): Promise<void> {
  await build({
    entryPoints: ["src/entrypoints/cdktf/index.ts"],
    outfile: `${outputFolder(flavour)}/index.js`,
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "cjs",
    packages: "external",
    external: ["../../core/constructs/index.js"],
    // Two classes may have the same name: the binding's and ours.
    keepNames: true,
    logLevel: "warning",
    // What loads packages of modules only for the command is not among what is bundled.
    logOverride: { "empty-import-meta": "silent" },
    plugins: [
      {
        name: "flavour",
        setup({ onLoad }) {
          onLoad({ filter: /entrypoints[\\/]cdktf[\\/][^\\/]+\.ts$/ }, async (file) => ({
            contents: written(await readFile(file.path, "utf8"), flavour),
            loader: "ts",
          }));
        },
      },
    ],
  });
}
