import type { Git } from "./program.js";

interface GitObject {
  readonly id: string;
  readonly content: Buffer;
}

/**
 * Reads git objects by name, such as `COMMIT:state.json`, with one git process. Returns undefined for each missing
 * object.
 */
export async function readObjects(
  git: Pick<Git, "run">,
  names: readonly string[],
): Promise<(GitObject | undefined)[]> {
  if (names.length === 0) return [];
  const { stdout } = await git.run(["cat-file", "--batch"], { input: `${names.join("\n")}\n` });
  const found: (GitObject | undefined)[] = [];
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf("\n", at);
    const [, id, size] = /^([0-9a-f]+) [a-z]+ (\d+)$/.exec(stdout.toString("latin1", at, end)) ?? [];
    if (id === undefined) {
      found.push(undefined);
      at = end + 1;
      continue;
    }
    const last = end + 1 + Number(size);
    found.push({ id, content: stdout.subarray(end + 1, last) });
    at = last + 1;
  }
  if (found.length !== names.length)
    throw new Error(`Bug: git read ${found.length} of ${names.length} objects`);
  return found;
}
