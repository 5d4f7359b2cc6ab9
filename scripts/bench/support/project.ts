import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Dataset, type Emulator, generateDataset, startEmulator } from "../../../src/emulator/index.js";

/** Creation time of the first context, old enough that every `updated_at` is reliable. */
const longAgoMs = Date.parse("2025-01-01T00:00:00Z");

/** Returns a unique prompt of at most `bytes` bytes, whose lines all differ. */
export function createPrompt(number: number, bytes: number): string {
  const sentence = `You are avatar ${number} and answer briefly, kindly and only from what you know.\n`;
  const lines = Array.from({ length: Math.ceil(bytes / sentence.length) }, (_, at) => `${at}. ${sentence}`);
  return lines.join("").slice(0, bytes).trimEnd();
}

/** Returns an account with `count` contexts, which {@link writeContexts} can declare. */
export function createAccount(count: number, promptBytes: number): Dataset {
  return generateDataset({
    contexts: count,
    prompt: (at) => createPrompt(at, promptBytes),
    firstCreatedAtMs: longAgoMs,
  });
}

/** Writes a project that declares the contexts in Markdown files. Returns its folder. */
export async function writeContexts(contexts: readonly { name: string; prompt: string }[]): Promise<string> {
  const texts = contexts.map(({ name, prompt }, at) => [
    `contexts/c${String(at).padStart(5, "0")}.md`,
    `---\nname: ${JSON.stringify(name)}\n---\n${prompt}\n`,
  ]);
  return writeFiles({ "avatarops.yaml": "include: [contexts/*.md]\n", ...Object.fromEntries(texts) });
}

/** Writes files and creates their parent folders. Returns the root folder (default: a new one). */
export async function writeFiles(files: Readonly<Record<string, string>>, into?: string): Promise<string> {
  const folder = into ?? (await mkdtemp(path.join(tmpdir(), "avatarops-bench-")));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  return folder;
}

export async function withEmulator<Result>(
  options: Parameters<typeof startEmulator>[0],
  use: (emulator: Emulator, environment: Record<string, string>) => Promise<Result>,
): Promise<Result> {
  const emulator = await startEmulator(options);
  try {
    return await use(emulator, { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" });
  } finally {
    await emulator.close();
  }
}
