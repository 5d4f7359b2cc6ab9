/** What sources are looked up in. */
export interface SourceEnvironment {
  /** Absolute path of the project folder: files are inside it, commands run in it. */
  readonly root: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  /** Called with what waits for a command: a caller that is stopped stops the command as well, by `signal`. */
  running?<Result>(work: () => Promise<Result>): Promise<Result>;
}
