/** What sources are resolved with. */
export interface SourceEnvironment {
  /** Absolute path of the project folder: files are inside it, commands run in it. */
  readonly root: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Only these environment variables are read, no other, and no file; nothing is run. Default: everything. */
  readonly only?: ReadonlySet<string>;
  readonly signal?: AbortSignal;
  /** Wraps work that waits for a command: if the caller is stopped, `signal` stops the command as well. */
  running?<Result>(work: () => Promise<Result>): Promise<Result>;
}
