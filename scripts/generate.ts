/**
 * Writes what is derived from the kinds' descriptors: the constructs for both TypeScript and CDKTF, what the
 * rooms and the library export of them, the examples of the Terraform provider, and then the output of `npm
 * run docs`. With `--check` it writes nothing and fails if a file is out of date.
 */
import { readFileSync } from "node:fs";
import { cdktfExports, cdktfFiles } from "./generate/cdktf.js";
import { constructExports, constructFiles } from "./generate/constructs.js";
import { formatted, keepFiles } from "./generate/keep-files.js";
import { projectProps } from "./generate/project-props.js";
import { snippetFiles } from "./generate/snippets.js";

// What a property consists of has no name of its own in the library: `PresetProps["video"]`.
const library = [...constructExports().values()].flat().filter((name) => !/^type (?!\w+Props$)/.test(name));
await keepFiles({
  ...snippetFiles(),
  ...(await formatted({
    ...constructFiles(),
    ...cdktfFiles(),
    "src/core/constructs/generated/project-props.ts": projectProps(),
    "src/core/constructs/index.ts": withExports("src/core/constructs/index.ts", constructExports()),
    "src/entrypoints/cdktf/index.ts": withExports("src/entrypoints/cdktf/index.ts", cdktfExports()),
    "src/index.ts": withExports("src/index.ts", new Map([["./core/constructs/index.js", library]])),
  })),
});
await import("./docs.js");

/** The text of an index with the lines between its markers generated again. */
function withExports(file: string, exports: ReadonlyMap<string, readonly string[]>): string {
  const text = readFileSync(file, "utf8");
  const lines = [...exports].map(([from, names]) => `export { ${names.join(", ")} } from "${from}";\n`);
  const parts = /^(\/\/ <generated: kinds>\n).*?^(\/\/ <\/generated>\n)/ms;
  if (!parts.test(text)) throw new Error(`${file} has no place for generated code.`);
  return text.replace(parts, (_, begin: string, end: string) => `${begin}\n${lines.join("")}\n${end}`);
}
