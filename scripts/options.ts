import { type ParseArgsConfig, parseArgs } from "node:util";

/**
 * Reads a script's options. Ends the process with one line of usage after `--help`, an unknown option or a missing value.
 * `usage` is the command line with its options.
 */
export function readOptions<Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  if (process.argv.slice(2).some((word) => word === "--help" || word === "-h")) exitWithUsage(usage);
  try {
    return parseArgs(config);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!code?.startsWith("ERR_PARSE_ARGS_")) throw error;
    const [problem = message] = message.split(/[.\n]/);
    return exitWithUsage(usage, problem);
  }
}

/** Prints the usage and ends the process, with an error if there is a problem. */
export function exitWithUsage(usage: string, problem?: string): never {
  if (problem === undefined) console.log(`Usage: ${usage}`);
  else console.error(`${problem}. Usage: ${usage}`);
  process.exit(problem === undefined ? 0 : 1);
}
