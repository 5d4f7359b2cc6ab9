import type { GitFolder } from "./git-folder.js";

export interface NewCommit {
  /** Its files are those of the commit unless `files` says otherwise; a first commit has none. */
  readonly parent: string | undefined;
  /** By path: a text; the id of an object that there is; or undefined, for a file or folder to be removed. */
  readonly files: Readonly<Record<string, string | { readonly id: string } | undefined>>;
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Writes a commit with its files; returns its id. No ref, index or working tree takes part. */
export async function writeCommit(folder: GitFolder, commit: NewCommit): Promise<string> {
  const seconds = Math.floor(commit.at / 1_000);
  const input = [
    "commit refs/avatarops/new",
    "mark :1",
    `author ${folder.author} ${seconds} +0000`,
    `committer ${folder.committer} ${seconds} +0000`,
    ...dataCommand(commit.message),
    ...(commit.parent === undefined ? [] : [`from ${commit.parent}`]),
    ...Object.entries(commit.files).flatMap(([path, content]) => fileCommand(path, content)),
    "",
    "get-mark :1",
    "",
  ];
  return folder.git.text(["fast-import", "--quiet", "--force", "--date-format=raw"], {
    input: input.join("\n"),
  });
}

function fileCommand(path: string, content: string | { readonly id: string } | undefined): string[] {
  if (content === undefined) return [`D ${path}`];
  if (typeof content !== "string") return [`M 100644 ${content.id} ${path}`];
  return [`M 100644 inline ${path}`, ...dataCommand(content)];
}

function dataCommand(text: string): string[] {
  return [`data ${Buffer.byteLength(text)}`, text];
}
