import { createHash } from "node:crypto";
import { UsageError } from "../../base/diagnostics/index.js";
import { readIdentity, type TreeFile } from "../../base/git/index.js";
import type { PreparedEdit } from "../files/field-to-write.js";
import type { Runtime } from "../runtime/runtime.js";
import type { Remote } from "./remote.js";

/*
 * Creates commits with edited texts. Commit messages contain nothing from the account or a prompt, because such text
 * could close issues, mention people or skip CI.
 *
 * Each commit message contains a digest of the commit's content, which an amend, rebase or merge invalidates. A branch
 * whose last commit has a valid digest has no commits by others, so it may be replaced.
 */

/** A file's entry in a commit. */
export type FileEntry = Pick<TreeFile, "id" | "mode">;

export interface NewCommit {
  /** New contents by path in the repository. */
  readonly files: ReadonlyMap<string, FileEntry>;
  /** A commit on the base branch. */
  readonly parent: string;
  readonly message: string;
  /** Date, ISO 8601. */
  readonly at: string;
}

const digestTrailer = "Avatarops-Digest";

/** Creates a commit and returns its id. The same input gives the same commit. */
export async function makeCommit(runtime: Runtime, remote: Remote, made: NewCommit): Promise<string> {
  const tree = await writeTreeWith(remote, made.parent, made.files);
  const trailer = `${digestTrailer}: ${digestTree(tree, made.parent)}\n`;
  const dates = { GIT_AUTHOR_DATE: made.at, GIT_COMMITTER_DATE: made.at };
  return remote.readText(["commit-tree", tree, "-p", made.parent, "-F", "-"], {
    input: `${made.message}${trailer}`,
    environment: { ...createIdentityVariables(runtime, remote), ...dates },
  });
}

/** Creates a tree that equals a commit's tree except for the new contents of the given files. */
async function writeTreeWith(remote: Remote, commit: string, files: NewCommit["files"]): Promise<string> {
  await remote.run(["read-tree", commit]);
  await assertUnfiltered(remote, [...files.keys()]);
  const lines = Array.from(files, ([file, { id, mode }]) => `${mode} ${id}\t${file}\0`);
  await remote.run(["update-index", "-z", "--index-info"], { input: lines.join("") });
  return remote.readText(["write-tree"]);
}

/**
 * Rejects files with a filter. Filters do not run here (see git/program.ts), so an encrypted file would be committed as
 * plain text.
 */
async function assertUnfiltered(remote: Remote, files: readonly string[]): Promise<void> {
  const input = files.map((file) => `${file}\0`).join("");
  const answer = await remote.readText(["check-attr", "--cached", "-z", "--stdin", "filter"], { input });
  const parts = answer.split("\0");
  const filtered = files.filter((_, at) => !["unspecified", "unset"].includes(parts[at * 3 + 2] ?? ""));
  if (filtered.length === 0) return;
  throw new UsageError(
    "filtered-file",
    `A git filter applies to ${filtered.join(", ")} (see .gitattributes), and avatarops does not run filters. In a clone, write these texts with \`avatarops pull\` or by hand, and commit them.`,
  );
}

/** Returns the author and the committer as environment variables for git. */
function createIdentityVariables({ host }: Runtime, { settings }: Remote): Record<string, string> {
  const author = readIdentity("author", host.environment, settings);
  const committer = readIdentity("committer", host.environment, settings);
  return {
    ...{ GIT_AUTHOR_NAME: author.name, GIT_AUTHOR_EMAIL: author.email },
    ...{ GIT_COMMITTER_NAME: committer.name, GIT_COMMITTER_EMAIL: committer.email },
  };
}

/** Last commit of a branch. */
export interface BranchTip {
  readonly parent: string;
  /** Whether avatarops made every commit of the branch. */
  readonly isOurs: boolean;
  /** Addresses that the user named in the run that made the commit. */
  readonly named: readonly string[];
}

/** Reads a branch's last commit. */
export async function readTip(remote: Remote, commit: string): Promise<BranchTip> {
  const text = await remote.readText(["cat-file", "commit", commit]);
  const end = text.indexOf("\n\n");
  const headers = text.slice(0, end).split("\n");
  const message = text.slice(end + 2);
  const listValuesAfter = (lines: readonly string[], start: string) =>
    lines.flatMap((line) => (line.startsWith(start) ? [line.slice(start.length)] : []));
  const [tree = ""] = listValuesAfter(headers, "tree ");
  const parents = listValuesAfter(headers, "parent ");
  const [parent = ""] = parents;
  const digests = listValuesAfter(message.split("\n"), `${digestTrailer}: `);
  const isOurs = parents.length === 1 && digests.includes(digestTree(tree, parent));
  return { parent, isOurs, named: isOurs ? listValuesAfter(message.split("\n"), `${namedTrailer}: `) : [] };
}

const namedTrailer = "Avatarops-Named";

function digestTree(tree: string, parent: string): string {
  return createHash("sha256").update(`avatarops drift\n${tree}\n${parent}\n`).digest("hex");
}

/** Returns the changed files with the ids of their new contents. */
export async function listChangedFiles(
  remote: Remote,
  from: string,
  to: string,
): Promise<Map<string, string>> {
  const raw = await remote.readText(["diff-tree", "-r", "-z", "--no-renames", "--full-index", from, to]);
  const parts = raw.split("\0");
  const changed = new Map<string, string>();
  for (let at = 0; at + 1 < parts.length; at += 2)
    changed.set(parts[at + 1] ?? "", parts[at]?.split(" ")[3] ?? "");
  return changed;
}

/** Maximum number of objects in a message. */
const maxNamed = 50;

export interface CommitMessage {
  readonly title: string;
  /** Changed objects. `more` is added after an object's fields. */
  readonly objects: readonly { readonly address: string; readonly more?: string }[];
  readonly fields: readonly PreparedEdit[];
  /** Why the texts changed, as a paragraph. */
  readonly why: string;
  /** Addresses that the user named, for the next run. */
  readonly named?: readonly string[];
}

/** Writes the message for a commit that changes these fields. */
export function formatCommitMessage({ title, objects, fields, why, named = [] }: CommitMessage): string {
  const lines = objects.slice(0, maxNamed).map(({ address, more = "" }) => {
    const own = fields.filter(({ declaration }) => declaration.address === address);
    return `${address}: ${own.map(({ field }) => field).join(", ")}${more}`;
  });
  if (objects.length > maxNamed) lines.push(`and ${objects.length - maxNamed} more`);
  const trailers = [...new Set(named)].map((address) => `${namedTrailer}: ${address}\n`).join("");
  return `${title}\n\n${lines.join("\n")}\n\n${why}\n\n${trailers}`;
}
