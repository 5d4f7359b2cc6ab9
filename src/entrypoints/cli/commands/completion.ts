import { readFile } from "node:fs/promises";
import path from "node:path";
import { loadFiles } from "../../../operations/index.js";
import type { CommandCall, CommandFacts, RunCommand } from "../command.js";
import { complete, type ProjectOptions, type ProjectValues } from "../completion/candidates.js";
import { scripts } from "../completion/scripts.js";
import type { completionCommand } from "../facts/others.js";
import { findNearestMainFiles } from "../project-above.js";

type CompletionCall = CommandCall<typeof completionCommand>;

/** Creates the `completion` command, which completes command lines for `commands`. */
export function createCompletion(commands: readonly CommandFacts[]): RunCommand<typeof completionCommand> {
  return async (call) => {
    const [shell, line] = call.arguments;
    if (line === undefined) return call.output.writeResult(scripts[shell]);
    const words = splitLine(line);
    const found = await complete(commands, words, (project) => readValues(call, project));
    if (typeof found === "string") return call.output.writeResult(found);
    // Bash and zsh complete only the part after `--option=`. Other shells complete the whole word.
    const option =
      shell === "bash" || shell === "zsh" ? "" : (/^--[^=]+=/.exec(words.at(-1) ?? "")?.[0] ?? "");
    const lines = found.map(({ word, description }) => {
      if (shell === "bash" || description === undefined) return option + word;
      return option + word + (shell === "zsh" ? ":" : "\t") + description;
    });
    call.output.writeResult(["words", ...lines].join("\n"));
  };
}

/** Splits a command line at blanks outside quotes. Drops leading variable assignments and the program's name. */
function splitLine(line: string): string[] {
  const words = line.match(/(?:[^\s"'\\]|\\.|"[^"]*"?|'[^']*'?|\\$)+/g) ?? [];
  const program = words.findIndex((word) => !/^\w+=/.test(word));
  const rest = words.slice(program + 1).map((word) => word.replace(/\\(.)|["']/g, "$1"));
  return /\s$/.test(line) ? [...rest, ""] : rest;
}

/**
 * Reads values from the nearest project's files without running code, and from a local state. Ignores a project with
 * errors. If a folder has two main files, uses avatarops.yaml, because only the command itself can ask for --file.
 */
async function readValues(
  call: CompletionCall,
  { file: given, env }: ProjectOptions,
): Promise<ProjectValues> {
  const file = given ?? findNearestMainFiles(call.host)[0];
  const load = (environment: string | undefined) =>
    loadFiles(
      { ...call, allowCode: false, options: { ...call.options, file, env: environment } },
      { judges: false },
    );
  const [plain, chosen] = await Promise.all([load(undefined), env === undefined ? undefined : load(env)]);
  const manifest = chosen?.manifest ?? plain.manifest;
  const root = manifest?.root ?? path.dirname(path.resolve(call.host.cwd, file ?? "avatarops.yaml"));
  const addresses = [
    ...(manifest?.declarations ?? []).map(({ address }) => address),
    ...(await readStateAddresses(path.resolve(root, manifest?.state ?? ".avatarops/state.json"))),
  ];
  const environments = [...(manifest?.environments.keys() ?? [])];
  return {
    addresses: [...new Set(addresses)],
    environments,
    presets: (manifest?.presets ?? []).map(({ key }) => key),
    sides: ["account", "files", ...environments],
  };
}

async function readStateAddresses(file: string): Promise<string[]> {
  try {
    const { objects } = JSON.parse(await readFile(file, "utf8")) as { readonly objects: object };
    return Object.keys(objects);
  } catch {
    // The local state is missing or cannot be read.
    return [];
  }
}
