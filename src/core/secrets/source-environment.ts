import type { AllowedHosts } from "../../base/http/index.js";
import type { SourceKind } from "./source-kind.js";
import type { SourceRun } from "./source-run.js";

export interface SourceEnvironment {
  /** Absolute path of the project folder: files are inside it, commands run in it. */
  readonly root: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Only these environment variables are read, no other, and no file; nothing is run. Default: everything. */
  readonly only?: ReadonlySet<string>;
  /** Where sources may have credentials sent that say so themselves. Default: anywhere with TLS, and this machine. */
  readonly hosts?: AllowedHosts | undefined;
  readonly signal?: AbortSignal;
  readonly kinds?: ReadonlyMap<string, SourceKind> | undefined;
  /** Within one run, equal sources are read once, and connections are shared. Default: each is a run of its own. */
  readonly run?: SourceRun;
  /** The wait before the first retry; doubles with each. Default: 300 ms. */
  readonly backoffMs?: number | undefined;
  /** Wraps work that waits for a source: if the caller is stopped, `signal` stops the source as well. */
  running?<Result>(work: () => Promise<Result>): Promise<Result>;
}
