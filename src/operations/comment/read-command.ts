/**
 * A command in a comment on a pull request: its first line, `/avatarops plan` or `/avatarops apply production`. It can say no more
 * than the few words below, so whoever writes it decides neither files nor addresses.
 */
export interface CommentCommand {
  readonly action: "plan" | "apply";
  readonly environment?: string | undefined;
  /** Of the plan to apply; default: that of the plan that was reviewed. */
  readonly digest?: string | undefined;
  /** More may change than `thresholds` allow. */
  readonly force: boolean;
}

/** How commands are written, for messages. */
const usage = "`/avatarops plan [ENVIRONMENT]` or `/avatarops apply [ENVIRONMENT] [DIGEST] [--force]`";

/**
 * Reads the command of a comment.
 *
 * @returns undefined if the comment is none; a text that says what is wrong with it.
 */
export function readCommand(comment: string): CommentCommand | string | undefined {
  const [name, action, ...words] = (comment.split("\n")[0] ?? "").trim().split(/[ \t]+/);
  if (name !== "/avatarops") return undefined;
  if (action !== "plan" && action !== "apply") return `Write ${usage}.`;
  let environment: string | undefined;
  let digest: string | undefined;
  let force = false;
  for (const word of words) {
    if (action === "apply" && word === "--force" && !force) force = true;
    else if (action === "apply" && isDigest(word) && digest === undefined) digest = word;
    else if (/^[\p{L}\p{Nd}]/u.test(word) && environment === undefined) environment = word;
    else return `\`${word}\` is not understood. Write ${usage}.`;
  }
  return { action, environment, digest, force };
}

/** As plans show it: with its version, and not cut. */
function isDigest(word: string): boolean {
  return /^\d+:[\w-]{20,}$/.test(word);
}
