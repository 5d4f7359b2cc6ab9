import type { GitSetting } from "./environment.js";
import type { Git } from "./program.js";

/** The settings in force, in the order in which git reads them: of one that has one value, the last counts. */
export async function readSettings(git: Pick<Git, "text">): Promise<readonly GitSetting[]> {
  const listed = await git.text(["config", "--list", "--null", "--includes"]);
  return listed
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => {
      const end = entry.indexOf("\n");
      // Without a value: it is on.
      return end === -1 ? [entry, "true"] : [entry.slice(0, end), entry.slice(end + 1)];
    });
}

export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** The author or committer that git would take, or a neutral one: most CI jobs have none. */
export function readIdentity(
  who: "author" | "committer",
  variables: Readonly<Record<string, string | undefined>>,
  settings: readonly GitSetting[],
): Identity {
  const name = readUser("name", who, variables, settings);
  const email = readUser("email", who, variables, settings) ?? variables.EMAIL;
  return { name: plain(name) || "avatarops", email: plain(email) || "avatarops@localhost" };
}

/** What git would take; undefined if nobody gave it. */
export function readUser(
  what: "name" | "email",
  who: "author" | "committer",
  variables: Readonly<Record<string, string | undefined>>,
  settings: readonly GitSetting[],
): string | undefined {
  const setting = (key: string) => settings.findLast(([name]) => name === key)?.[1];
  const variable = `GIT_${who}_${what}`.toUpperCase();
  return variables[variable] ?? setting(`${who}.${what}`) ?? setting(`user.${what}`);
}

function plain(text = ""): string {
  return text
    .replace(/[\p{Cc}<>]+/gu, " ")
    .trim()
    .slice(0, 200);
}
