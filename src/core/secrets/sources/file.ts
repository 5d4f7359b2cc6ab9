import { readProjectFile } from "../project-file.js";
import type { SourceKind } from "../source-kind.js";
import { maxBytes } from "../text.js";

/** The content of a file of the project; follows links that stay inside it. */
export const file: SourceKind<{ readonly path: string }> = {
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
  async read({ path }, context) {
    return { value: (await readProjectFile(path, maxBytes, context)).bytes };
  },
};
