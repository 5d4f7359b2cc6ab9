import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

const isCheck = process.argv.includes("--check");

/** Writes these texts to their files. With `--check`, fails if one differs. */
export async function keepFiles(texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, text] of Object.entries(texts)) {
    if (existsSync(file) && (await readFile(file, "utf8")) === text) continue;
    if (isCheck) {
      console.error(`${file} is out of date. Run "npm run generate" and commit the result.`);
      process.exitCode = 1;
      continue;
    }
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
    console.log(`Wrote ${file}.`);
  }
}

/** Formats code by file with Biome, including the order of imports and exports. */
export async function formatAll(texts: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const entries = Object.entries(texts).map(
    async ([file, text]) => [file, await format(file, text)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

function format(file: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const biome = path.resolve("node_modules/@biomejs/biome/bin/biome");
    const args = [biome, "check", "--write", `--stdin-file-path=${file}`];
    const child = execFile(process.execPath, args, (error, stdout, stderr) =>
      error ? reject(new Error(`${file} cannot be formatted: ${stderr || error.message}`)) : resolve(stdout),
    );
    child.stdin?.end(text);
  });
}
