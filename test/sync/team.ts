import { mkdir, rename } from "node:fs/promises";
import path from "node:path";
import { onTestFinished } from "vitest";
import { createEmptyDataset, type Emulator, type EmulatorOptions } from "../../src/emulator/index.js";
import { type CommandResult, newFolder, runIn, type Setting } from "../cli/hosting.js";
import { startEmulator } from "../documented-emulator.js";
import { commitFiles, git as gitIn } from "../git/repositories.js";
import { type FaultProxy, startFaultProxy } from "../state/fault-proxy.js";
import { credentials, gitlabPath, type HttpBackend, startHttpBackend } from "../stores/http-backend.js";

/** Line in the sync log. */
export interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly msg: string;
  readonly outcome?: string;
  readonly commit?: string;
  readonly duration_ms?: number;
  readonly drifted?: number;
  readonly ambiguous?: number;
  readonly listens_on?: string;
  readonly changes?: readonly {
    readonly address: string;
    readonly action: string;
    readonly status: string;
  }[];
  readonly problem?: string;
  readonly problems?: readonly {
    readonly code: string;
    readonly message: string;
    readonly location?: string;
  }[];
}

/** Process that follows the team's repository. */
export interface Follower {
  readonly log: readonly LogLine[];
  /** Returns all text written to stdout and stderr. */
  text(): string;
  /** Stops the process, as SIGTERM does. */
  stop(): void;
  readonly ended: Promise<CommandResult>;
}

/** Account, repository and shared state, removed after the test. */
export interface Team {
  readonly emulator: Emulator;
  /** State backend. Requests to it pass through `stateFaults`. */
  readonly backend: HttpBackend;
  readonly stateFaults: FaultProxy;
  readonly repository: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Writes files, commits them and returns the commit. `undefined` removes a file. */
  commit(files: Readonly<Record<string, string>>): Promise<string>;
  git(...args: string[]): string;
  /** Makes the repository unreadable or readable again. */
  setAway(isAway: boolean): Promise<void>;
  /** Runs a command in a clone with the followed commit. */
  atDesk(...argv: string[]): Promise<CommandResult>;
  follow(setting: Setting, ...argv: string[]): Follower;
}

export async function startTeam(
  settings: string,
  given: {
    readonly emulator?: EmulatorOptions;
    readonly environment?: Readonly<Record<string, string>>;
    /** State location. Default: the backend. */
    readonly state?: string;
  } = {},
): Promise<Team> {
  const folder = await newFolder();
  const emulator = await startEmulator({ world: createEmptyDataset(), ...given.emulator });
  const backend = await startHttpBackend("gitlab");
  const stateFaults = await startFaultProxy(backend.port);
  onTestFinished(async () => {
    await stateFaults.close();
    await backend.close();
    await emulator.close();
  });
  const repository = path.join(folder, "repository");
  await mkdir(repository);
  const environment = {
    ...credentials,
    PATH: process.env.PATH ?? "",
    // Ignores the machine's git settings.
    HOME: folder,
    AVATAROPS_BASE_URL: emulator.url,
    AVATAROPS_API_KEY: "test-key",
    // Host of the state backend.
    AVATAROPS_ALLOW_HOSTS: `127.0.0.1:${stateFaults.port}`,
    ...given.environment,
  };
  const git = (...args: string[]) => gitIn(repository, ...args);
  const location = given.state ?? `http://127.0.0.1:${stateFaults.port}${gitlabPath}/production`;
  const commit: Team["commit"] = async (files) => commitFiles(repository, files);
  git("init", "--quiet", "--initial-branch=main");
  await commit({ "avatarops.yaml": `state: ${location}\n${settings}`, ".gitignore": ".avatarops/\n" });
  return {
    ...{ emulator, backend, stateFaults, repository, environment, commit, git },
    setAway: (isAway) =>
      isAway ? rename(repository, `${repository}-away`) : rename(`${repository}-away`, repository),
    atDesk: (...argv) => runIn(repository, argv, { environment }),
    follow(setting, ...argv) {
      const log: LogLine[] = [];
      const lines: string[] = [];
      const stops: ((signal: string) => void)[] = [];
      const usual = {
        ...{ "--repo": repository, "--listen": "127.0.0.1:0" },
        "--work-dir": path.join(folder, "work"),
      };
      const ended = runIn(folder, ["sync", ...addDefaultOptions(usual, argv)], {
        ...setting,
        environment: { ...environment, ...setting.environment },
        onStoppable: (stop) => stops.push(stop),
        onStdout(text) {
          lines.push(text);
          log.push(JSON.parse(text) as LogLine);
          setting.onStdout?.(text);
        },
      });
      return {
        log,
        text: () => lines.join(""),
        stop: () => stops.forEach((stop) => void stop("SIGTERM")),
        ended,
      };
    },
  };
}

/** Runs a follower for some cycles. Before each pause, calls `between` with the number of cycles so far. */
export async function followFor(
  team: Team,
  cycles: number,
  between: (cycle: number, follower: Follower) => Promise<void> | void = () => {},
  ...argv: string[]
): Promise<Follower & { readonly ran: CommandResult }> {
  let cycle = 0;
  let now = Date.now();
  const follower: Follower = team.follow(
    {
      now: () => now,
      async pause(ms) {
        now += ms;
        cycle += 1;
        await between(cycle, follower);
        if (cycle >= cycles) follower.stop();
      },
    },
    ...argv,
  );
  return { ...follower, ran: await follower.ended };
}

/** Returns the logged outcomes in order. */
export const readOutcomes = ({ log }: Pick<Follower, "log">): readonly (string | undefined)[] =>
  log.flatMap(({ msg, outcome }) => (msg === "cycle" ? [outcome] : []));

export const listPrompts = ({ emulator }: Team): string[] =>
  emulator.world.contexts.map(({ prompt }) => prompt);

/** Adds default options that a call does not set. */
export function addDefaultOptions(
  usual: Readonly<Record<string, string>>,
  argv: readonly string[],
): string[] {
  const missing = Object.entries(usual).filter(([flag]) => !argv.includes(flag));
  return [...missing.flat(), ...argv];
}
