import path from "node:path";
import { readRegular } from "../base/files/index.js";
import { digestValue, withLineFeeds } from "../core/kinds/index.js";

/** The digest of each file's text; line ends do not count, as everywhere. */
export async function digestFiles(
  root: string,
  files: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const digests = files.map(async (file) => {
    const bytes = await readRegular(path.join(root, file));
    return [file, digestOfText(bytes.toString("utf8"))] as const;
  });
  return Object.fromEntries(await Promise.all(digests));
}

/** The digest of a file's text. */
export function digestOfText(text: string): string {
  return digestValue(withLineFeeds(text));
}
