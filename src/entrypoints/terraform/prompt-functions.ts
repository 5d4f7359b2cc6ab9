import path from "node:path";
import { FunctionError, type ProviderFunction, type Type, type Value } from "@avatarops/terraform-plugin";
import type { Diagnostic } from "../../base/diagnostics/index.js";
import { readRegular } from "../../base/files/index.js";
import { toMapping } from "../../base/text/index.js";
import { documentKind, type Field } from "../../core/kinds/index.js";
import type { readDocument } from "../../core/manifest/index.js";
import { toType } from "./schema.js";
import type { ProviderEnvironment } from "./settings.js";

/*
 * The Markdown files of a project of `avatarops`, read into objects: front matter for the fields, body for the prompt.
 * It is the manifest's own reader, so that one file serves both, and it is loaded when it is first asked for.
 */

const format =
  "between two `---` lines at the top stand the fields as YAML (`name`, `opening_text`, `links`), below them the prompt, as it is, with line feeds for line ends and without the last one. `${name}` is the service's own placeholder and stays as it stands. `name` is required; what else is not set is null.";

const templates =
  "With `variables`, or if its front matter says `template: true`, the prompt is a template: `{{name}}` becomes the text of that name, and `{{> tone}}` the file `partials/tone.md` in the nearest folder `partials`, beside the file or above it. A relative path names a partial elsewhere in the folder that `partials` is in. What is null counts as not given.";

const { name: kindName, fields } = documentKind.kind;

const returns: Type = [
  "object",
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, toType(field)])),
];

/** The functions that read such files; relative paths begin at `cwd`. */
export function promptFunctions({ cwd = "" }: ProviderEnvironment): {
  readonly [name: string]: ProviderFunction;
} {
  return {
    prompt_file: {
      summary: "Reads a Markdown file with front matter",
      description: `Reads a Markdown file into an object with the arguments of a ${kindName}: ${format} A relative path begins at the folder terraform runs in; begin with \`path.module\`.\n\n${templates}`,
      parameters: [{ name: "path", type: "string", description: "Path of the Markdown file." }],
      variadic: {
        name: "variables",
        type: ["map", "string"],
        description: "Texts for `{{name}}`, by name; of several maps, the last that has it counts.",
      },
      returns,
      async call(file, ...given) {
        const entries = given.flatMap((map) => Object.entries(map as Readonly<Record<string, Value>>));
        const texts = entries.filter((entry): entry is [string, string] => entry[1] !== null);
        const variables = given.length > 0 ? Object.fromEntries(texts) : undefined;
        return parsePrompt(String(file), await readText(String(file), cwd), { cwd, variables });
      },
    },
    parse_prompt: {
      summary: "Reads Markdown text with front matter",
      description: `Reads Markdown text into an object with the arguments of a ${kindName}: ${format}`,
      parameters: [{ name: "text", type: "string", description: "The Markdown text." }],
      returns,
      call: (text) => parsePrompt("the text", String(text)),
    },
  };
}

/** By the codes of errors. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  folder: "it is a folder",
  "not-regular": "it is no regular file",
};

async function readText(file: string, cwd: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readRegular(path.resolve(cwd, file)));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA")
      throw new FunctionError(`${file} is not UTF-8 text: save it as UTF-8`);
    const why = reasons[code ?? ""] ?? code ?? (error as Error).message;
    throw new FunctionError(
      `${file} cannot be read: ${why}. Relative paths begin at the folder terraform runs in; begin with path.module`,
    );
  }
}

async function parsePrompt(...given: Parameters<typeof readDocument>): Promise<Value> {
  const { readDocument } = await import("../../core/manifest/index.js");
  const { spec, diagnostics } = await readDocument(...given);
  const [, text] = given;
  if (!spec) {
    const problems = diagnostics.filter(({ severity }) => severity === "error");
    throw new FunctionError(problems.map((problem) => describeIssue(problem, text)).join("\n"));
  }
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, completed(field, spec[name])]),
  ) as Value;
}

/** Without a full stop at the end: the core sets one. */
function describeIssue(problem: Diagnostic, text: string): string {
  const { place, message } = problem;
  const hint = adaptHint(problem, text);
  const where = place ? `${place.file}:${place.line}:${place.column}: ` : "";
  return `${where}${message}${hint ? (hint.includes("\n") ? `; ${hint}` : ` (${hint})`) : ""}`;
}

/** What to do next, where it is another thing than in a project: no tag is followed here, and a text has no file name. */
function adaptHint({ code, hint }: Diagnostic, text: string): string | undefined {
  if (code === "wrong-tag" || code === "unknown-tag") return "write the text out: no tag is followed here";
  if (code === "private-file") return "name another file";
  if (code !== "missing-field" || hint?.includes("\n") || /^---[ \t]*\r?\n/.test(text)) return hint;
  return "begin it with these lines:\n---\nname: …\n---";
}

/** The value with every key its type has. */
function completed(field: Field, value: unknown): Value {
  if (value === undefined) return null;
  if (field.type === "list")
    return (value as readonly unknown[]).map((entry) => completed(field.item, entry));
  if (field.type !== "object") return value as string;
  const parts = Object.entries(field.parts).map(([name, part]) => [
    name,
    completed(part, toMapping(value)[name]),
  ]);
  return Object.fromEntries(parts) as Value;
}
