/**
 * Writes what follows from the kinds' descriptors: the constructs of both sorts, what the rooms and the library export of
 * them, the examples of the Terraform provider, and then what `npm run docs` writes. With `--check` it writes nothing and
 * fails where something would have been written.
 */
import { readFileSync } from "node:fs";
import { cdktfExports, cdktfFiles } from "./generate/cdktf.js";
import { constructExports, constructFiles } from "./generate/constructs.js";
import { formatted, keepFiles } from "./generate/keep-files.js";
import { snippetFiles } from "./generate/snippets.js";
import { valueSettingsFile } from "./generate/value-settings.js";

const library = [...constructExports().values()].flat();
await keepFiles({
  ...snippetFiles(),
  ...(await formatted({
    ...constructFiles(),
    ...cdktfFiles(),
    "src/manifest/value-settings.ts": valueSettingsFile(),
    "src/constructs/index.ts": withExports("src/constructs/index.ts", constructExports()),
    "src/cdktf/index.ts": withExports("src/cdktf/index.ts", cdktfExports()),
    "src/index.ts": withExports("src/index.ts", new Map([["./constructs/index.js", library]])),
  })),
});
await import("./docs.js");

/** The text of an index with the lines between its markers made anew. */
function withExports(file: string, exports: ReadonlyMap<string, readonly string[]>): string {
  const text = readFileSync(file, "utf8");
  const lines = [...exports].map(([from, names]) => `export { ${names.join(", ")} } from "${from}";\n`);
  const parts = /^(\/\/ <generated: kinds>\n).*?^(\/\/ <\/generated>\n)/ms;
  if (!parts.test(text)) throw new Error(`${file} has no place for what is generated.`);
  return text.replace(parts, (_, begin: string, end: string) => `${begin}\n${lines.join("")}\n${end}`);
}
