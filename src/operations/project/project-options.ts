import { existsSync } from "node:fs";
import path from "node:path";
import { mainFiles } from "../../core/manifest/index.js";
import { type RepeatedOptions, repeatInDocument, repeatInSentence } from "../../output/render/index.js";
import type { Reporter, Runtime } from "../runtime/runtime.js";
import { quoteShellWord } from "../runtime/shell-word.js";

/**
 * Returns the options that select the project and its environment, for commands that users copy and run in the
 * repository root. `prefix` is the project's folder in the repository, or undefined outside a repository.
 */
export function createProjectOptions(
  { host, options: { file, env } }: Pick<Runtime, "host" | "options">,
  prefix: string | undefined,
): RepeatedOptions {
  const folder = host.resolve(path.dirname(file ?? ""));
  const main = file ?? mainFiles.find((name) => existsSync(path.join(folder, name))) ?? mainFiles[0];
  const named = prefix === undefined ? main : path.posix.join(prefix, path.basename(main));
  const isDefault = file === undefined && (prefix ?? "") === "";
  return {
    file: isDefault ? undefined : quoteShellWord(named),
    env: env === undefined ? undefined : quoteShellWord(env),
  };
}

/** Creates a reporter that adds these options to the commands in its messages. */
export function createRepeatingReporter(output: Reporter, options: RepeatedOptions): Reporter {
  return {
    ...output,
    info: (sentence) => output.info(repeatInSentence(sentence, options)),
    warn: (sentence) => output.warn(repeatInSentence(sentence, options)),
    diagnostics: (document, how) => output.diagnostics(repeatInDocument(document, options), how),
  };
}
