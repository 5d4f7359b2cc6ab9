import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

const isCheck = process.argv.includes("--check");

/**
 * Writes a file, or removes it if the text is undefined. With `--check`, only reports the difference and the
 * command that fixes it, and fails the script.
 */
export async function keepFile(file: string, text: string | undefined, command: string): Promise<void> {
  const present = existsSync(file) ? await readFile(file, "utf8") : undefined;
  if (present === text) return;
  if (isCheck) {
    console.error(`${file} is out of date. Run "${command}" and commit the result.`);
    process.exitCode = 1;
    return;
  }
  if (text === undefined) await rm(file);
  else {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  console.log(`${text === undefined ? "Removed" : "Wrote"} ${file}.`);
}

/** Formats files with Biome, including the order of imports and exports. */
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
