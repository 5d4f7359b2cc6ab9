import { type ParseArgsConfig, parseArgs } from "node:util";

/**
 * Reads a script's options. Prints the usage and exits for `--help`, an unknown option or a missing value. `usage`
 * lists the options, such as `npm run test:real -- [--node VERSION]…`.
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

/** Prints the usage and exits, with an error if there is a problem. */
export function exitWithUsage(usage: string, problem?: string): never {
  if (problem === undefined) console.log(`Usage: ${usage}`);
  else console.error(`${problem}. Usage: ${usage}`);
  process.exit(problem === undefined ? 0 : 1);
}
