import { readFileSync } from "node:fs";
import { textOfFile } from "../manifest/index.js";
import type { ValueSource } from "../secrets/index.js";
import { callSite } from "./call-site.js";
import { currentLoading } from "./loading.js";

/** A text file of the project. */
export type FileSource = Extract<ValueSource, { from: "file" }>;

/** A literal text, or the whole of a file. */
export type Text = string | FileSource;

/** The value of an environment variable, resolved when needed. */
export function env(name: string): Extract<ValueSource, { from: "env" }> {
  return { from: "env", name };
}

/** The content of a project file, without one final line end; `path` is relative to the project folder. */
export function file(path: string): FileSource {
  return { from: "file", path };
}

/**
 * A prompt in its own file; line ends are read as line feeds; `path` is relative to the project folder.
 * `avatarops pull` writes into it.
 */
export function promptFile(path: string): FileSource {
  return file(path);
}

/**
 * The content of a project file as a string to compute with; without one final line end. `path` is relative
 * to the project folder. If a property gets it unchanged, `avatarops pull` writes into the file.
 *
 * @throws Error of the file system if called outside avatarops, as in unit tests: `path` is then relative to
 * the current folder of the process.
 */
export function text(path: string): string {
  const loading = currentLoading();
  if (loading) return loading.readText(path, callSite(text));
  return textOfFile(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
}

/** The output of a command, without one final line end. Runs without a shell, in the project folder. */
export function exec(
  command: readonly string[],
  options: { readonly timeoutSeconds?: number | undefined } = {},
): Extract<ValueSource, { from: "exec" }> {
  const { timeoutSeconds } = options;
  return {
    from: "exec",
    command,
    ...(timeoutSeconds === undefined ? {} : { timeoutMs: timeoutSeconds * 1000 }),
  };
}
