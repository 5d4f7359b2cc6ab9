import type { GitSetting } from "./environment.js";
import type { Git } from "./program.js";

/** The settings in force, in the order in which git reads them: of one that has one value, the last counts. */
export async function settingsOf(git: Pick<Git, "text">): Promise<readonly GitSetting[]> {
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

/** Who made a commit. */
export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** The author or committer that git would take, or a neutral one: most CI jobs have none. */
export function identityOf(
  who: "author" | "committer",
  variables: Readonly<Record<string, string | undefined>>,
  settings: readonly GitSetting[],
): Identity {
  const setting = (key: string) => settings.findLast(([name]) => name === key)?.[1];
  const prefix = `GIT_${who.toUpperCase()}`;
  const name = nameIn(who, variables, settings);
  const email =
    variables[`${prefix}_EMAIL`] ?? setting(`${who}.email`) ?? setting("user.email") ?? variables.EMAIL;
  return { name: plain(name) || "avatarops", email: plain(email) || "avatarops@localhost" };
}

/** The name that git would take; undefined if nobody gave one. */
export function nameIn(
  who: "author" | "committer",
  variables: Readonly<Record<string, string | undefined>>,
  settings: readonly GitSetting[],
): string | undefined {
  const setting = (key: string) => settings.findLast(([name]) => name === key)?.[1];
  return variables[`GIT_${who.toUpperCase()}_NAME`] ?? setting(`${who}.name`) ?? setting("user.name");
}

function plain(text = ""): string {
  return text
    .replace(/[\p{Cc}<>]+/gu, " ")
    .trim()
    .slice(0, 200);
}
