import { hostname, userInfo } from "node:os";
import path from "node:path";
import { pid } from "node:process";
import type { GitSettingsCache } from "../../base/git/index.js";
import { nodeSystem, type System } from "../../base/system/index.js";
import { version } from "../../base/version/index.js";
import type { Exchange, RequestCount, RequestEvent } from "../../core/api/index.js";
import type { ApplyEvent, Plan } from "../../core/engine/index.js";
import type { Manifest } from "../../core/manifest/index.js";
import type { SourceRun } from "../../core/secrets/index.js";
import {
  type CommitFacts,
  type Holder,
  type MachineIdentity,
  type ObservationCache,
  type ProjectIdentity,
  readMachineIdentity,
  type StoreEnvironment,
} from "../../core/state/index.js";
import type { DiagnosticsDocument } from "../../output/documents/index.js";

/** Dependencies of an operation: the machine, options, cancellation, and a reporter. */
export interface Runtime extends StopSignals {
  readonly host: OperationHost;
  readonly output: Reporter;
  readonly options: OperationOptions;
  /** Whether project code may run: TypeScript, `!exec`, packages next to the project. See `allowsCode`. */
  readonly allowCode: boolean;
  /** Commit of an untrusted change. Default: the checked-out commit. */
  readonly head?: string | undefined;
  /** Connections and caches shared by the operations of a run. Closed by `closeRuntime`. */
  readonly opened: {
    /** Secret sources, created on first use. See `createSourceEnvironment`. */
    sources?: SourceRun;
    /** The job's pull request. See `assertTrustedJob`. */
    job?: Promise<{ readonly pullRequest?: number | undefined }>;
    /** Git settings. See `getGitSettingsCache`. */
    gitSettings?: GitSettingsCache;
    /** Messages that were shown and are not repeated in this run. */
    shown?: Set<string>;
  };
}

/** Options for the project, its service and targets. They are named after the command-line options. */
export interface OperationOptions {
  /** Main file. Default: the main file in the current folder. */
  readonly file?: string | undefined;
  readonly env?: string | undefined;
  /** Variables that the files may read. Default: all. */
  readonly allowEnv?: readonly string[] | undefined;
  /** Base URL that overrides the files. */
  readonly baseUrl?: string | undefined;
  /** Whether to ignore the base URL and the key in the files. */
  readonly pinned?: boolean | undefined;
  /** Whether to treat the files as an untrusted change. See docs/security.md. */
  readonly untrusted?: boolean | undefined;
  /** Base of an untrusted change. */
  readonly base?: string | undefined;
  /** Maximum number of concurrent requests. */
  readonly concurrency?: number | undefined;
  /** Addresses or patterns. Default: everything. */
  readonly target?: readonly string[] | undefined;
  /** Refresh mode. "auto" reads only objects that may have changed. */
  readonly refresh?: string | undefined;
  /** Whether to overwrite edits made elsewhere. */
  readonly overwriteDrift?: boolean | undefined;
  /** Maximum wait for the state lock, in ms. Default: 0. */
  readonly lockTimeout?: number | undefined;
  /** Whether to wait until no session is active. Default: from the project. */
  readonly waitForIdle?: boolean | undefined;
  /** Maximum wait until no session is active, in ms. */
  readonly timeout?: number | undefined;
  /** Avatar for sandbox mode. Default: from the project. */
  readonly sandboxAvatar?: string | undefined;
}

/** Access to the machine. Clock, environment and folder come only from here. */
export interface OperationHost extends System {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Variables from `--dotenv`, which are also available to `!env`. With pinned credentials, excludes avatarops settings
   * and host tokens.
   */
  readonly fileVariables?: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly hostname: string;
  /** Returns the process's user. Throws if the user has no name. */
  username?(): string;
  /** Version of avatarops, sent in requests to the service and code hosts. */
  readonly version: string;
  /** Returns whether unawaited code of a definition has failed since the last call. */
  takeBackgroundFailure?(): boolean;
  /** Whether nothing else runs in the process. See `ServiceOptions`. */
  readonly ownsProcess?: boolean;
  /** Identifies this machine, boot and container, even among machines with the same host name. */
  identify?(): MachineIdentity;
  /** Resolves a path named by the user. */
  resolve(path: string): string;
  /** Returns whether this process took the lock with this id and no longer needs it. See `ProcessEnvironment`. */
  hasHoldEnded?(holdId: string): boolean;
  /** Returns whether to take over a lock owned by another run. See `LockOptions`. */
  takesOverLock?(holder: Holder, version: string): boolean;
  /** Cache of observed live objects. Default: in the user's cache folder. */
  readonly observations?: ObservationCache;
  /** Called after each request to the service. */
  onRequest?(request: RequestEvent): void;
  /** Waits between two cycles of a long-running command. Default: `sleep`. */
  readonly pause?: System["sleep"];
  /** Loads the exports that TypeScript files import as `avatarops` if the project has not installed the package. */
  loadLibrary?(): Promise<object>;
  /** Shorter waits than the defaults, for tests. See `ServiceOptions` and `ObserveInput`. */
  readonly waits?: {
    readonly backoffMs?: number;
    readonly settleMs?: number;
    readonly tickMs?: number;
    /** Maximum time to retry a store that does not respond. */
    readonly storeMs?: number;
    /** Timeout of one attempt to deliver a notice. All attempts together take at most four times as long. */
    readonly noticeMs?: number;
    /** Policy function timeout. */
    readonly policyMs?: number;
    /** Time between two progress lines of a long read. */
    readonly progressMs?: number;
  };
  /** Replacements for external systems. Default: none. */
  readonly outside?: Partial<ExternalSystems>;
}

/** Replaces the network, stores, other processes and git in a simulator. */
export interface ExternalSystems {
  readonly exchange: Exchange;
  readonly store: Partial<StoreEnvironment>;
  /** Facts about the operation, for a commit record. */
  readonly facts: CommitFacts;
  readonly project: ProjectIdentity;
}

/** Controls when signals may stop an operation. */
export interface StopSignals {
  /** Aborts when the user or the system asks to stop. */
  readonly signal: AbortSignal;
  /**
   * Runs `work` to its end. Meanwhile, a signal to the process only aborts `signal`. At any other time, it ends the
   * process immediately, even during a computation.
   */
  runToEnd<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` like `runToEnd`, but a second Ctrl-C ends the process, even during a computation. For cleanup such as
   * releasing a lock.
   */
  runCleanup<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Receives messages and progress of an operation, but neither its result nor its error. */
export interface Reporter {
  info(sentence: string): void;
  warn(sentence: string): void;
  /** Shows output of policy functions. */
  progress(text: string): void;
  /**
   * Shows warnings about the files. With `isFresh`, shows policy findings about a plan, including errors that are about
   * to be thrown.
   */
  diagnostics(document: DiagnosticsDocument, options?: { readonly isFresh?: boolean }): void;
  /** Shows the plan to be applied. */
  plan(plan: Plan, manifest: Manifest): void;
  /** Reports an apply's progress while it runs. */
  applying<Result>(work: (on: (event: ApplyEvent) => void) => Promise<Result>): Promise<Result>;
  /** Reports progress during a long read. */
  reading<Result>(
    service: { readonly requests: RequestCount },
    work: (say: (sentence: string) => void) => Promise<Result>,
  ): Promise<Result>;
}

/** Creates a reporter that shows only warnings. */
export function createQuietReporter(warn: (sentence: string) => void = () => {}): Reporter {
  const doNothing = () => {};
  return {
    ...{ info: doNothing, warn, progress: doNothing, diagnostics: doNothing, plan: doNothing },
    applying: (work) => work(doNothing),
    reading: (_service, work) => work(doNothing),
  };
}

/** Settings from a program that embeds avatarops. */
export interface RuntimeInput {
  /** Project folder. */
  readonly cwd: string;
  /**
   * Whether the project's code may run: TypeScript files, `!exec` commands, policies, and packages installed in the
   * project.
   */
  readonly allowCode: boolean;
  /** Environment variables for `!env` and all settings, such as `process.env`. */
  readonly environment: OperationHost["environment"];
  readonly options?: OperationOptions;
  /** Reporter methods. Default: no output. */
  readonly output?: Partial<Reporter>;
  /** Signal that stops operations. Running writes are still finished and recorded. */
  readonly signal?: AbortSignal;
}

/**
 * Creates a runtime for a program that embeds avatarops. Operations print nothing, and write only to the files, the
 * state and the account.
 */
export function createRuntime(input: RuntimeInput): Runtime {
  const { environment, allowCode, options = {}, output = {}, signal = new AbortController().signal } = input;
  const cwd = path.resolve(input.cwd);
  return {
    host: {
      ...nodeSystem,
      ...{ cwd, environment, version, pid },
      hostname: hostname(),
      username: () => userInfo().username,
      identify: readMachineIdentity,
      resolve: (named) => path.resolve(cwd, named),
    },
    output: { ...createQuietReporter(), ...output },
    ...{ allowCode, options, signal },
    opened: {},
    runToEnd: (work) => work(),
    runCleanup: (work) => work(),
  };
}

/** Returns the cache of git settings that the operations of a run share. */
export function getGitSettingsCache({ opened }: Pick<Runtime, "opened">): GitSettingsCache {
  opened.gitSettings ??= new Map();
  return opened.gitSettings;
}

/** Closes open connections, such as those to a vault. Call it after the last operation. */
export async function closeRuntime({ opened }: Runtime): Promise<void> {
  await opened.sources?.close();
}
