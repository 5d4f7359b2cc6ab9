import type { GitSetting } from "./environment.js";
import type { Repository } from "./repository.js";

/** Settings by git folder, cached because a run opens several stores in the same repository. */
export type GitSettingsCache = Map<string, readonly GitSetting[]>;

/** Reads all settings in git's order. For a setting with a single value, the last entry wins. */
export async function readGitSettings(
  { gitFolder, readText }: Pick<Repository, "gitFolder" | "readText">,
  cache?: GitSettingsCache,
): Promise<readonly GitSetting[]> {
  const known = cache?.get(gitFolder);
  if (known) return known;
  const listed = await readText(["config", "--list", "--null", "--includes"]);
  const settings = parseSettings(listed);
  cache?.set(gitFolder, settings);
  return settings;
}

function parseSettings(listed: string): readonly GitSetting[] {
  return listed
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => {
      const end = entry.indexOf("\n");
      // A key without a value means true.
      return end === -1 ? [entry, "true"] : [entry.slice(0, end), entry.slice(end + 1)];
    });
}

export interface GitIdentity {
  readonly name: string;
  readonly email: string;
}

/** Returns the author or committer that git would use, or a neutral identity if there is none, as in most CI jobs. */
export function readIdentity(
  who: "author" | "committer",
  variables: Readonly<Record<string, string | undefined>>,
  settings: readonly GitSetting[],
): GitIdentity {
  const name = readUser("name", who, variables, settings);
  const email = readUser("email", who, variables, settings) ?? variables.EMAIL;
  return { name: clean(name) || "avatarops", email: clean(email) || "avatarops@localhost" };
}

/** Returns the name or email that git would use, or undefined if neither variables nor settings have one. */
export function readUser(
  what: "name" | "email",
  who: "author" | "committer",
  variables: Readonly<Record<string, string | undefined>>,
  settings: readonly GitSetting[],
): string | undefined {
  const getSetting = (key: string) => settings.findLast(([name]) => name === key)?.[1];
  const variable = `GIT_${who}_${what}`.toUpperCase();
  return variables[variable] ?? getSetting(`${who}.${what}`) ?? getSetting(`user.${what}`);
}

function clean(text = ""): string {
  return text
    .replace(/[\p{Cc}<>]+/gu, " ")
    .trim()
    .slice(0, 200);
}
