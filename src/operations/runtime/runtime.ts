import { hostname, userInfo } from "node:os";
import path from "node:path";
import { pid } from "node:process";
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

/** What an operation needs from outside: its machine, its options, how it is asked to stop, and who hears of it meanwhile. */
export interface Runtime extends StopSignals {
  readonly host: OperationHost;
  readonly output: Reporter;
  readonly options: OperationOptions;
  /** Whether code of the project may run: TypeScript, `!exec`, packages beside it. See `allowsCode`. */
  readonly allowCode: boolean;
  /** The commit that an untrusted change is read from; default: what is checked out. */
  readonly head?: string | undefined;
  /** Shared by the operations of a run, and closed with `closeRuntime`. */
  readonly opened: {
    /** Created with the first source: see `sourceEnvironment`. */
    sources?: SourceRun;
    /** What the job is about: see `assertTrustedJob`. */
    job?: Promise<{ readonly pullRequest?: number | undefined }>;
    /** Messages that are shown once in a run. */
    shown?: Set<string>;
  };
}

/** Which project, how its service is reached, and what of it is meant. Each has the name of its option on the command line. */
export interface OperationOptions {
  /** The main file; default: the one in the current folder. */
  readonly file?: string | undefined;
  /** The environment of the project. */
  readonly env?: string | undefined;
  /** The variables that the files may read; default: all. */
  readonly allowEnv?: readonly string[] | undefined;
  /** Wins over the address in the files. */
  readonly baseUrl?: string | undefined;
  /** The files decide neither the address nor the key. */
  readonly pinned?: boolean | undefined;
  /** The files are of a stranger: see docs/security.md. */
  readonly untrusted?: boolean | undefined;
  /** What an untrusted change is proposed to. */
  readonly base?: string | undefined;
  /** Concurrent requests. */
  readonly concurrency?: number | undefined;
  /** Addresses, or patterns of them; default: everything. */
  readonly target?: readonly string[] | undefined;
  /** "auto" reads what may have changed. */
  readonly refresh?: string | undefined;
  /** Write over edits made elsewhere. */
  readonly overwriteDrift?: boolean | undefined;
  /** How long to wait for a locked state, in ms; default: 0. */
  readonly lockTimeout?: number | undefined;
  /** Whether to wait until no session is active; default: as the project says. */
  readonly waitForIdle?: boolean | undefined;
  /** How long to wait for that, in ms. */
  readonly timeout?: number | undefined;
  /** The avatar of sandbox mode; default: that of the project. */
  readonly sandboxAvatar?: string | undefined;
}

/** What an operation uses of its machine; clock, environment and folder come from here only. */
export interface OperationHost extends System {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables of `--dotenv` that `!env` reads in addition: when pinned, they decide no address. */
  readonly fileVariables?: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly hostname: string;
  /** The user of the machine that runs the process; throws if it has no name. */
  username?(): string;
  /** Version of avatarops, for the service and for code hosts. */
  readonly version: string;
  /** Nothing else runs in the process: see `ServiceOptions`. */
  readonly ownsProcess?: boolean;
  /** What tells this machine, boot and container from others with the same host name. */
  identify?(): MachineIdentity;
  /** The absolute path of a path that the user named. */
  resolve(path: string): string;
  /** Whether a lock with this id is one that this process took earlier, and has done with: see `ProcessEnvironment`. */
  hasEnded?(holdId: string): boolean;
  /** Whether to take over the lock of a run elsewhere: see `LockOptions`. */
  takesOverLock?(holder: Holder, version: string): boolean;
  /** Keeps observations of live objects. Default: the user's cache folder. */
  readonly observations?: ObservationCache;
  /** Hears of each request to the service when it has ended. */
  onRequest?(request: RequestEvent): void;
  /** Waits between two cycles of a long-running command. Default: `sleep`. */
  readonly pause?: System["sleep"];
  /** What TypeScript files of a project import as `avatarops` if they have not installed it. */
  library?(): Promise<object>;
  /** Shorter waits than the defaults, for tests; see `ServiceOptions` and `ObserveInput`. */
  readonly waits?: {
    readonly backoffMs?: number;
    readonly settleMs?: number;
    readonly tickMs?: number;
    /** How long a store of states that does not answer is asked again. */
    readonly storeMs?: number;
    /** How long an attempt to deliver a notice may take; all together take at most four times as long. */
    readonly noticeMs?: number;
    /** How long a function of the policies may take. */
    readonly policyMs?: number;
    /** Time between two progress lines of a long read. */
    readonly progressMs?: number;
  };
  /** Default: what there is. */
  readonly outside?: Partial<Outside>;
}

/** Replacements of a simulator for the network, stores, other processes and git. */
export interface Outside {
  readonly exchange: Exchange;
  readonly store: Partial<StoreEnvironment>;
  /** What the record of a commit says of the operation. */
  readonly facts: CommitFacts;
  /** Which project it is about. */
  readonly project: ProjectIdentity;
}

/** How an operation is asked to stop. */
export interface StopSignals {
  /** Aborts when the user or the system asks to stop while work must be finished. */
  readonly signal: AbortSignal;
  /**
   * While `work` runs, signals do not end the process; they abort `signal` so that started work is finished.
   * Otherwise a signal ends the process at once, even while it computes.
   */
  finishing<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The same; a second Ctrl-C ends the process even while `work` computes: for cleanup such as releasing a lock. */
  releasing<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Who hears how an operation goes on. Results are returned, and errors are thrown. */
export interface Reporter {
  /** A message that may be left out. */
  info(sentence: string): void;
  warn(sentence: string): void;
  /** What policies print. */
  progress(text: string): void;
  /** Warnings about the files, or with `isFresh` what policies say of a plan, maybe errors that will be thrown. */
  diagnostics(document: DiagnosticsDocument, options?: { readonly isFresh?: boolean }): void;
  /** What is about to be applied. */
  plan(plan: Plan, manifest: Manifest): void;
  /** Follows an apply while it runs. */
  applying<Result>(work: (on: (event: ApplyEvent) => void) => Promise<Result>): Promise<Result>;
  /** Follows a long read. */
  reading<Result>(
    service: { readonly requests: RequestCount },
    work: (say: (sentence: string) => void) => Promise<Result>,
  ): Promise<Result>;
}

/** A reporter that says nothing but warnings. */
export function quietReporter(warn: (sentence: string) => void = () => {}): Reporter {
  const nothing = () => {};
  return {
    ...{ info: nothing, warn, progress: nothing, diagnostics: nothing, plan: nothing },
    applying: (work) => work(nothing),
    reading: (_service, work) => work(nothing),
  };
}

/** What a program gives that runs operations itself. */
export interface RuntimeInput {
  /** The folder of the project. */
  readonly cwd: string;
  /** Whether code of the project may run: its TypeScript files, `!exec` commands, policies, and packages beside it. */
  readonly allowCode: boolean;
  /** Where `!env` and all settings of the environment are read, such as `process.env`. */
  readonly environment: OperationHost["environment"];
  readonly options?: OperationOptions;
  /** Default: nobody hears of anything. */
  readonly output?: Partial<Reporter>;
  /** Once it aborts, nothing new is begun; what is under way is finished and recorded. */
  readonly signal?: AbortSignal;
}

/** A runtime for a program that embeds avatarops. Operations in it write nowhere but to what they are about. */
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
    output: { ...quietReporter(), ...output },
    ...{ allowCode, options, signal },
    opened: {},
    finishing: (work) => work(),
    releasing: (work) => work(),
  };
}

/** Ends what the operations of a runtime have kept open, such as connections to a vault. Call it when they are done. */
export async function closeRuntime({ opened }: Runtime): Promise<void> {
  await opened.sources?.close();
}
