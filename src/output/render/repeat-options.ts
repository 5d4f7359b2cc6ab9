import type { Block, Difference } from "./blocks.js";
import type { RepeatedOptions } from "./span.js";

/** Commands that do not accept options for a project. */
export const commandsWithoutProject: readonly string[] = [
  ...["init", "export", "emulate", "completion", "terraform install", "generate schema", "help"],
];

/**
 * Adds this run's options to recommended commands, which would otherwise use another manifest or environment. Does not
 * change the texts of objects.
 */
export function repeatOptions(blocks: readonly Block[], options: RepeatedOptions = {}): readonly Block[] {
  return hasOptions(options) ? (repeatInValue(blocks, options) as readonly Block[]) : blocks;
}

/** Adds the options to the commands in the messages of a JSON document, or of a part of the document. */
export function repeatInDocument<Part>(part: Part, options: RepeatedOptions): Part {
  const repeat = (value: unknown, isSentence: boolean): unknown => {
    if (typeof value === "string") return isSentence ? repeatInSentence(value, options) : value;
    if (Array.isArray(value)) return value.map((one) => repeat(one, isSentence));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, repeat(one, sentencesInDocuments.has(key))]),
    );
  };
  return hasOptions(options) ? (repeat(part, false) as Part) : part;
}

function hasOptions({ file, env }: RepeatedOptions): boolean {
  return file !== undefined || env !== undefined;
}

const sentencesInDocuments: ReadonlySet<string> = new Set([
  ...["message", "hint", "reason", "note", "notes", "problem", "held", "advice", "left_out"],
]);

function repeatInValue(value: unknown, options: RepeatedOptions): unknown {
  if (Array.isArray(value)) return value.map((one) => repeatInValue(one, options));
  if (typeof value !== "object" || value === null) return value;
  const { is } = value as { readonly is?: unknown };
  if (is === "difference") return repeatInDifference(value as Difference, options);
  if (is === "partials" || is === "name") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      if (key === "command" && typeof one === "string") return [key, withOptions(one, options)];
      if (typeof one !== "string" || !sentenceKeys.has(key)) return [key, repeatInValue(one, options)];
      return [key, is === "command" ? withOptions(one, options) : repeatInSentence(one, options)];
    }),
  );
}

function repeatInDifference(difference: Difference, options: RepeatedOptions): Difference {
  const { newText } = difference;
  if (!newText) return difference;
  return { ...difference, newText: { ...newText, command: withOptions(newText.command, options) } };
}

/** Keys whose values are sentences, in pieces, remarks and diagnostics. */
const sentenceKeys: ReadonlySet<string> = new Set(["text", "message", "hint"]);

/** Adds options to the commands in backticks. */
export function repeatInSentence(text: string, options: RepeatedOptions): string {
  return text.replace(/`(avatarops [^`]+)`/g, (_, command: string) => `\`${withOptions(command, options)}\``);
}

function withOptions(command: string, { file, env }: RepeatedOptions): string {
  const given = command.replace(/^avatarops /, "");
  if (commandsWithoutProject.some((one) => `${given} `.startsWith(`${one} `))) return command;
  const hasOption = (option: RegExp) => option.test(`${command} `);
  // `--all` selects objects in import and render, and projects and environments in other commands.
  const coversAll = !/^(?:import|render) /.test(given) && hasOption(/ --all /);
  return [
    command,
    ...(file === undefined || coversAll || hasOption(/ (?:-f|--file)[ =]/) ? [] : [`--file ${file}`]),
    ...(env === undefined || coversAll || hasOption(/ --env[ =]/) ? [] : [`--env ${env}`]),
  ].join(" ");
}
