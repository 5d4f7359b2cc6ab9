import type { GitFolder } from "./git-folder.js";

/** What becomes a commit. */
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
    ...dataOf(commit.message),
    ...(commit.parent === undefined ? [] : [`from ${commit.parent}`]),
    ...Object.entries(commit.files).flatMap(([path, content]) => fileOf(path, content)),
    "",
    "get-mark :1",
    "",
  ];
  const output = await folder.run(["fast-import", "--quiet", "--force", "--date-format=raw"], {
    input: input.join("\n"),
  });
  return output.toString("utf8").trim();
}

function fileOf(path: string, content: string | { readonly id: string } | undefined): string[] {
  if (content === undefined) return [`D ${path}`];
  if (typeof content !== "string") return [`M 100644 ${content.id} ${path}`];
  return [`M 100644 inline ${path}`, ...dataOf(content)];
}

function dataOf(text: string): string[] {
  return [`data ${Buffer.byteLength(text)}`, text];
}

/** An object, or undefined if it is not in the folder. */
export interface GitObject {
  readonly id: string;
  readonly content: Buffer;
}

/** Reads objects by name, e.g. `COMMIT:state.json`. */
export async function readObjects(
  folder: GitFolder,
  names: readonly string[],
): Promise<(GitObject | undefined)[]> {
  if (names.length === 0) return [];
  const output = await folder.run(["cat-file", "--batch"], { input: `${names.join("\n")}\n` });
  const found: (GitObject | undefined)[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf("\n", at);
    const [, id, size] = /^([0-9a-f]+) [a-z]+ (\d+)$/.exec(output.toString("latin1", at, end)) ?? [];
    if (id === undefined) {
      found.push(undefined);
      at = end + 1;
      continue;
    }
    const last = end + 1 + Number(size);
    found.push({ id, content: output.subarray(end + 1, last) });
    at = last + 1;
  }
  if (found.length !== names.length)
    throw new Error(`Bug: git read ${found.length} of ${names.length} objects`);
  return found;
}

/** The ids of the files of a folder, by their names, from the content of its object. */
export function idsInFolder({ content, id }: GitObject): Map<string, string> {
  const bytes = id.length / 2;
  const ids = new Map<string, string>();
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(" ", at);
    const end = content.indexOf(0, space);
    ids.set(content.toString("utf8", space + 1, end), content.toString("hex", end + 1, end + 1 + bytes));
    at = end + 1 + bytes;
  }
  return ids;
}
