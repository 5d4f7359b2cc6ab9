import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { isInside, readRegular } from "../../files/index.js";
import type { SourceErrorCode } from "../source-error.js";
import type { SourceKind } from "../source-kind.js";
import { maxBytes, tooLong } from "../text.js";

/** Fields of `!file`. */
export interface FileFields {
  readonly path: string;
}

/** The content of a file of the project; follows links that stay inside it. */
export const file: SourceKind<FileFields> = {
  name: "file",
  title: "Project file",
  fields: { path: { type: "file", required: true, description: "Path of the file." } },
  shorthand: {
    example: "!file prompts/support.md",
    meaning: "the path of a file",
    read: (written) => (typeof written === "string" ? { path: written } : undefined),
  },
  describe: ({ path }) => `file ${path}`,
  rights: { value: "the file in the checkout" },
  async read({ path }, { root, error }) {
    const outside = "is outside the project folder. Move it inside, or use !exec or !env.";
    if (!isInside(root, resolve(root, path))) throw error("outside-project", outside);
    try {
      const real = await realpath(resolve(root, path));
      if (isInside(await realpath(root), real)) return { value: await readRegular(real, maxBytes) };
    } catch (thrown) {
      throw error(...refused(thrown));
    }
    throw error("outside-project", outside);
  },
};

const refusals: Readonly<Record<string, readonly [code: SourceErrorCode, problem: string]>> = {
  ENOENT: [
    "not-found",
    "does not exist. Create it, or correct its path. The path shown is relative to the project folder; in YAML, paths are relative to the file they are written in.",
  ],
  ENOTDIR: ["not-found", "does not exist: a part of its path is a file, not a folder. Correct its path."],
  folder: ["unreadable", "is not a file. Name a text file."],
  "not-regular": ["unreadable", "is not a file. Name a text file."],
  "too-large": ["too-long", tooLong],
  EACCES: ["unreadable", "cannot be read: permission denied. Change its permissions."],
  EPERM: ["unreadable", "cannot be read: permission denied. Change its permissions."],
};

function refused(thrown: unknown): readonly [code: SourceErrorCode, problem: string] {
  const system = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown error";
  return refusals[system] ?? ["unreadable", `cannot be read: the system reports ${system}.`];
}
