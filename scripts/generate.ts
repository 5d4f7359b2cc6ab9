/**
 * Writes the files derived from the kind descriptors: the constructs for TypeScript and CDKTF, their exports, and the
 * Terraform provider's examples. Then runs `npm run docs`. With `--check`, it writes nothing and fails if a
 * file is out of date.
 */
import { readFileSync } from "node:fs";
import { generateCdktfFiles, listCdktfExports } from "./generate/cdktf.js";
import { generateConstructFiles, listConstructExports } from "./generate/constructs.js";
import { formatAll, keepFile } from "./generate/keep-files.js";
import { generateProjectProps } from "./generate/project-props.js";
import { generateSnippetFiles } from "./generate/snippets.js";
import { readOptions } from "./options.js";

readOptions("npm run generate -- [--check]", { options: { check: { type: "boolean" } } });

// Omits the types of nested properties, because code can refer to them as `PresetProps["video"]`.
const library = [...listConstructExports().values()]
  .flat()
  .filter((name) => !/^type (?!\w+Props$)/.test(name));
const files = {
  ...generateSnippetFiles(),
  ...(await formatAll({
    ...generateConstructFiles(),
    ...generateCdktfFiles(),
    "src/core/constructs/generated/project-props.ts": generateProjectProps(),
    "src/core/constructs/index.ts": replaceExports("src/core/constructs/index.ts", listConstructExports()),
    "src/entrypoints/cdktf/index.ts": replaceExports("src/entrypoints/cdktf/index.ts", listCdktfExports()),
    "src/index.ts": replaceExports("src/index.ts", new Map([["./core/constructs/index.js", library]])),
  })),
};
for (const [file, text] of Object.entries(files)) await keepFile(file, text, "npm run generate");
await import("./docs.js");

/** Regenerates the lines between the markers in an index. */
function replaceExports(file: string, exports: ReadonlyMap<string, readonly string[]>): string {
  const text = readFileSync(file, "utf8");
  const lines = [...exports].map(([from, names]) => `export { ${names.join(", ")} } from "${from}";\n`);
  const parts = /^(\/\/ <generated: kinds>\n).*?^(\/\/ <\/generated>\n)/ms;
  if (!parts.test(text)) throw new Error(`${file} has no markers for generated code.`);
  return text.replace(parts, (_, begin: string, end: string) => `${begin}\n${lines.join("")}\n${end}`);
}
