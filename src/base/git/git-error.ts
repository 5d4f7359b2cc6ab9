import { abbreviate } from "../text/index.js";
import { sanitizeText } from "./names.js";

export type GitErrorCode =
  | "git-missing" // not on PATH
  | "git-too-old" // older than `oldestGit`
  | "no-folder" // the folder to run in does not exist
  | "not-a-repository" // the folder is not in a repository
  | "damaged" // git rejects the `.git` folder
  | "dubious-ownership" // the repository belongs to another user
  | "unreachable" // the remote does not respond, or has no repository at this URL
  | "refused" // rejected by the remote: credentials, permissions, server hooks
  | "timeout" // stopped at the time limit
  | "cancelled" // stopped by the caller
  | "too-large" // the output exceeds the limit
  | "failed"; // anything else, see `stderr`

/** Error from a git command. The message is a complete sentence, without credentials. */
export class GitError extends Error {
  override readonly name = "GitError";
  readonly code: GitErrorCode;
  /** Command line, such as `git push origin refs/heads/main`, without credentials. */
  readonly command: string;
  /** Last lines that git wrote to stderr, without credentials and control characters. */
  readonly stderr: string;

  constructor(code: GitErrorCode, command: string, message: string, stderr = "") {
    super(message);
    this.code = code;
    this.command = command;
    this.stderr = stderr;
  }
}

/** Handler for `catch` that ignores git failures. Rethrows other errors and cancellations. */
export function ignoreGitFailure(error: unknown): undefined {
  if (!(error instanceof GitError) || error.code === "cancelled") throw error;
}

/** Error codes and advice, keyed by git's message in the C locale. The first match wins. */
const meanings: readonly (readonly [GitErrorCode, RegExp, string])[] = [
  [
    "dubious-ownership",
    /dubious ownership|unsafe repository/,
    "The repository belongs to another user. If you trust it, run `git config --global --add safe.directory` with its path.",
  ],
  [
    "not-a-repository",
    /^fatal: (?:not a git(?:dir| repository)|cannot use bare repository)/m,
    "Run the command in a clone of the repository.",
  ],
  [
    "refused",
    /remote rejected|hook declined|Permission (denied|to )|Authentication failed|could not read (Username|Password)|terminal prompts disabled|returned error: 40[134]|Repository not found|access denied|not exported|service not enabled|Host key verification failed|not allowed|HTTP Basic: Access denied/i,
    "Check the credentials and permissions for this remote.",
  ],
  [
    "unreachable",
    /returned error: 30[12378]|RPC failed; HTTP 30[12378]/,
    "The server redirects this URL. Set the new URL. Some hosts redirect a URL that lacks `.git` at its end.",
  ],
  [
    "unreachable",
    /certificate|ca cert|CAfile/i,
    "If the server uses a private CA, set its certificate: `git config --global http.sslCAInfo FILE`, or the environment variable GIT_SSL_CAINFO.",
  ],
  [
    "unreachable",
    /Could not resolve host|Connection (refused|timed out|reset)|unable to (access|connect|look up)|Could not read from remote repository|does not appear to be a git repository|early EOF|hung up|RPC failed|No such remote|Operation (timed out|too slow)|Network is unreachable|No route to host|ssl|returned error: (5\d\d|408|429)/i,
    "Check the remote's URL (`git remote -v`) and the network.",
  ],
];

/** Creates the error for an unexpected exit code or a signal. */
export function toGitError(args: readonly string[], exit: number | string, stderr: string): GitError {
  const command = describeCommand(args);
  const last = keepLastLines(stderr);
  const how = typeof exit === "number" ? `exited with code ${exit}` : `was killed by signal ${exit}`;
  const [code, , advice] = meanings.find(([, pattern]) => pattern.test(stderr)) ?? ["failed", undefined, ""];
  const what =
    last === "" ? `\`${command}\` ${how}.` : `\`${command}\` ${how}: ${last.replaceAll("\n", " | ")}.`;
  return new GitError(code, command, advice === "" ? what : `${what} ${advice}`, last);
}

/** Returns the command line for messages, without credentials. */
export function describeCommand(args: readonly string[]): string {
  const words = sanitizeText(["git", ...args].join(" "));
  return abbreviate(words, 200);
}

/** Returns the end of git's stderr, which contains the reason. Omits progress, hints and credentials. */
function keepLastLines(stderr: string): string {
  const lines = stderr
    .split(/[\r\n]+/)
    .map((line) => sanitizeText(line).trim())
    .filter((line) => line !== "" && !/^(hint|remote: *$)/.test(line));
  // The cut may leave half of a surrogate pair at the start.
  return lines
    .slice(-6)
    .join("\n")
    .slice(-1_000)
    .replace(/^[\uDC00-\uDFFF]/, "")
    .replace(/\.$/, "");
}
