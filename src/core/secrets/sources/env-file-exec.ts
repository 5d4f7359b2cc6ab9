import { startProgram } from "../../../base/programs/index.js";
import { readProjectFile } from "../project-file.js";
import { SourceProblem } from "../source-error.js";
import type { SourceContext, SourceKind } from "../source-kind.js";
import { maxBytes, type SizeLimit } from "../text.js";

/** A program's output on stdout. */
export const exec: SourceKind<{ readonly command: readonly string[] }> = {
  name: "exec",
  title: "Command",
  runsCode: true,
  fields: {
    command: {
      type: "string-list",
      required: true,
      description:
        "Program and arguments. Runs without a shell, so `|`, `>` and `$` have no special meaning.",
    },
  },
  shorthand: {
    example: "!exec [pass, show, llm]",
    meaning: "a command and its arguments",
    hint: "write !exec [command, argument] or !exec { command: [command, argument], timeout_seconds: 10 }",
    read: (written) => (typeof written === "string" ? undefined : { command: written }),
  },
  describe: ({ command }) => `command ${describeCommand(command)}`,
  rights: { value: "depends on the command" },
  async read({ command }, context) {
    return { value: await runProgram(command, context) };
  },
};

/**
 * Runs a program in the project folder, without a shell or input. Drops stderr, which may contain the secret. Kills the
 * program if it prints too much or `signal` aborts, and then throws the abort reason. `problems` explains exit codes
 * and `ENOENT`.
 */
export async function runProgram(
  command: readonly string[],
  context: SourceContext,
  problems: Readonly<Record<string, () => SourceProblem>> = {},
  limit: SizeLimit = {
    bytes: maxBytes,
    problem: "printed more than 64 KB, which is too long for a secret.",
  },
): Promise<Buffer> {
  const { signal, root, environment } = context;
  const [program = "", ...args] = command;
  let isTooLong = false;
  const onTooMuch = () => {
    isTooLong = true;
    started.stop("SIGKILL");
  };
  const limits = { maxBytes: limit.bytes, onTooMuch };
  const started = startProgram(program, args, { cwd: root, env: environment, ...limits });
  const stop = () => started.stop("SIGKILL");
  signal.addEventListener("abort", stop, { once: true });
  try {
    const ran = await started.ended;
    if (signal.aborted) throw signal.reason;
    if (isTooLong) throw new SourceProblem("too-long", limit.problem);
    const problem = problems["system" in ran ? ran.system : ran.exit]?.();
    if (problem) throw problem;
    if ("system" in ran && ran.system === "ENOENT")
      throw new SourceProblem(
        "missing-program",
        "was not found. Install the program, or correct its name or your PATH.",
      );
    if ("system" in ran)
      throw new SourceProblem("failed", `cannot be read: ${program} could not be started (${ran.system}).`);
    if (ran.exit === 0) return ran.stdout;
    const end = `${typeof ran.exit === "number" ? "exit code" : "signal"} ${ran.exit}`;
    throw new SourceProblem("failed", `failed with ${end}. Run it in the project folder to see why.`);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Shows the program and its subcommand, at most two plain words, because arguments may contain tokens. */
function describeCommand([program = "", ...args]: readonly string[]): string {
  const [first] = args;
  const shown = first !== undefined && /^[a-z][a-z-]{0,19}$/.test(first) ? [program, first] : [program];
  return shown.length <= args.length ? `${shown.join(" ")} …` : shown.join(" ");
}

export const env: SourceKind<{ readonly name: string }> = {
  name: "env",
  title: "Environment variable",
  fields: { name: { type: "variable", required: true, description: "Variable name." } },
  shorthand: {
    example: "!env LLM_API_KEY",
    meaning: "the name of an environment variable",
    hint: "write the variable's name, such as !env LLM_API_KEY, not its value",
    read: (written) => (typeof written === "string" ? { name: written } : undefined),
  },
  describe: ({ name }) => `environment variable ${name}`,
  rights: { value: "the variable in the job's environment" },
  async read({ name }, { environment }) {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value?.trim() === "")
      throw new SourceProblem(
        "empty",
        "is empty. Give it a value. CI systems set an empty variable if a secret does not exist.",
      );
    if (value !== undefined) return { value };
    throw new SourceProblem(
      "not-set",
      "is not set. Set it as a secret in CI. On your own machine, set it with `export`, or in a file given with --dotenv.",
    );
  },
};

/** Project file content. Follows symlinks that stay inside the project. */
export const file: SourceKind<{ readonly path: string }> = {
  name: "file",
  title: "Project file",
  fields: { path: { type: "file", required: true, description: "File path." } },
  shorthand: {
    example: "!file prompts/support.md",
    meaning: "a file path",
    read: (written) => (typeof written === "string" ? { path: written } : undefined),
  },
  describe: ({ path }) => `file ${path}`,
  rights: { value: "the file in the checkout" },
  async read({ path }, context) {
    return { value: await readProjectFile(path, context) };
  },
};
