import { readFileSync } from "node:fs";

/** The example of the documentation: the file of a project that defines a source of its own. */
export const keyringSource = exampleIn(readFileSync("docs/secrets.md", "utf8"));

function exampleIn(page: string): string {
  const [, code = ""] = /<!-- example: keyring\.ts -->\n+```ts\n(.*?)```/s.exec(page) ?? [];
  return code;
}
