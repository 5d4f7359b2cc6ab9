import { readFileSync } from "node:fs";
import { textOfFile } from "../manifest/index.js";
import type { ValueSource } from "../secrets/index.js";
import { callSite } from "./call-site.js";
import { currentLoading } from "./loading.js";

/** A text file of the project. */
export type FileSource = Extract<ValueSource, { from: "file" }>;

/** A text: written out, or the whole of a file. */
export type Text = string | FileSource;

/** The value of an environment variable, looked up when it is needed. */
export function env(name: string): Extract<ValueSource, { from: "env" }> {
  return { from: "env", name };
}

/** What a file of the project holds, but for one final line end; `path` is relative to the project folder. */
export function file(path: string): FileSource {
  return { from: "file", path };
}

/**
 * A prompt that stands in a file of its own, whose line ends are read as line feeds; `path` is relative to the project
 * folder. `avatarops pull` writes into it.
 */
export function promptFile(path: string): FileSource {
  return file(path);
}

/**
 * What a file of the project holds, as a string to compute with; without one final line end. `path` is relative to the
 * project folder. Where it is given to a property as it is, `avatarops pull` writes into the file.
 *
 * @throws Error of the file system where it is called outside of avatarops, as in unit tests: `path` is relative to the
 * folder the process runs in then.
 */
export function text(path: string): string {
  const loading = currentLoading();
  if (loading) return loading.readText(path, callSite(text));
  return textOfFile(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
}

/** What a command prints, but for one final line end. It is run without a shell, in the project folder. */
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
