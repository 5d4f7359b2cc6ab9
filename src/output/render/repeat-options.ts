import type { Block } from "./blocks.js";
import type { RepeatedOptions } from "./span.js";

/** Commands that do not take these options. */
export const commandsWithoutProject: readonly string[] = [
  ...["init", "export", "emulate", "completion", "terraform install", "generate schema", "help"],
];

/**
 * The blocks with these options added to each recommended command, which would otherwise be about another manifest or
 * environment. Texts of objects stay unchanged.
 */
export function repeatOptions(blocks: readonly Block[], options: RepeatedOptions = {}): readonly Block[] {
  const isGiven = options.file !== undefined || options.env !== undefined;
  return isGiven ? (repeatIn(blocks, options) as readonly Block[]) : blocks;
}

function repeatIn(value: unknown, options: RepeatedOptions): unknown {
  if (Array.isArray(value)) return value.map((one) => repeatIn(one, options));
  if (typeof value !== "object" || value === null) return value;
  const { is } = value as { readonly is?: unknown };
  if (is === "difference" || is === "partials" || is === "name") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      if (key === "command" && typeof one === "string") return [key, withOptions(one, options)];
      if (typeof one !== "string" || !said.has(key)) return [key, repeatIn(one, options)];
      return [key, is === "command" ? withOptions(one, options) : inSentence(one, options)];
    }),
  );
}

/** The keys of sentences: of pieces and remarks, and of diagnostics. */
const said: ReadonlySet<string> = new Set(["text", "message", "hint"]);

function inSentence(text: string, options: RepeatedOptions): string {
  return text.replace(/`(avatarops [^`]+)`/g, (_, command: string) => `\`${withOptions(command, options)}\``);
}

function withOptions(command: string, { file, env }: RepeatedOptions): string {
  const given = command.replace(/^avatarops /, "");
  if (commandsWithoutProject.some((one) => `${given} `.startsWith(`${one} `))) return command;
  const has = (option: RegExp) => option.test(`${command} `);
  // Of an import, it means objects, and elsewhere environments.
  const names = given.startsWith("import ") ? / --env[ =]/ : / --(?:env|all)[ =]/;
  return [
    command,
    ...(file === undefined || has(/ (?:-f|--file)[ =]/) ? [] : [`--file ${file}`]),
    ...(env === undefined || has(names) ? [] : [`--env ${env}`]),
  ].join(" ");
}
