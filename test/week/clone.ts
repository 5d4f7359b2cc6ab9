import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Ended, execute, succeed } from "../installing.js";

const program = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** A clone of the team's repository, with git and the command as real processes in it. */
export interface Clone {
  readonly folder: string;
  /** Runs git, which must succeed; what it printed, without the last line end. */
  git(...argv: string[]): Promise<string>;
  /** Runs the command, whatever comes of it. */
  avatarops(...argv: string[]): Promise<Ended>;
  /** Runs the command in another environment besides: that of a pipeline's job. */
  avataropsIn(job: Readonly<Record<string, string>>, ...argv: string[]): Promise<Ended>;
  read(file: string): string;
  /** Writes a file as somebody edits it. */
  edit(file: string, change: (text: string) => string): void;
}

/** A clone on somebody's desk: everything, as a named author. */
export async function cloneOf(remote: string, given: CloneOptions): Promise<Clone> {
  const { clone, git } = begin(given, { GIT_AUTHOR_NAME: given.name, GIT_COMMITTER_NAME: given.name });
  await git("clone", "--quiet", remote, ".");
  return clone;
}

/** What a pipeline's checkout action makes: one commit, without a branch, and nobody's name. */
export async function checkoutOf(remote: string, commit: string, given: CloneOptions): Promise<Clone> {
  const { clone, git } = begin(given, {});
  await git("init", "--quiet", "--initial-branch=unused");
  await git("remote", "add", "origin", remote);
  await git("fetch", "--quiet", "--no-tags", "--depth=1", "origin", commit);
  await git("checkout", "--quiet", "--detach", "FETCH_HEAD");
  return clone;
}

export interface CloneOptions {
  /** The folder that all clones of a week are in. */
  readonly within: string;
  /** Whose it is. */
  readonly name: string;
  /** The service's address and key. */
  readonly environment: Readonly<Record<string, string>>;
}

function begin(
  { within, name, environment }: CloneOptions,
  author: Readonly<Record<string, string>>,
): { clone: Clone; git: Clone["git"] } {
  const folder = mkdtempSync(path.join(within, `${name.toLowerCase()}-`));
  const mail = author.GIT_AUTHOR_NAME ? `${name.toLowerCase()}@example.com` : undefined;
  // Nothing of the settings of the machine.
  const env = {
    ...{ PATH: process.env.PATH, HOME: within, GIT_CONFIG_NOSYSTEM: "1", NO_COLOR: "1" },
    ...author,
    ...(mail ? { GIT_AUTHOR_EMAIL: mail, GIT_COMMITTER_EMAIL: mail } : {}),
    ...environment,
  };
  const at = (file: string) => path.join(folder, file);
  const avataropsIn: Clone["avataropsIn"] = (job, ...argv) =>
    execute(process.execPath, [program, ...argv], { cwd: folder, env: { ...env, ...job } });
  const git: Clone["git"] = async (...argv) => (await succeed("git", argv, { cwd: folder, env })).trimEnd();
  const clone: Clone = {
    folder,
    git,
    avatarops: (...argv) => avataropsIn({}, ...argv),
    avataropsIn,
    read: (file) => readFileSync(at(file), "utf8"),
    edit: (file, change) => writeFileSync(at(file), change(readFileSync(at(file), "utf8"))),
  };
  return { clone, git };
}
