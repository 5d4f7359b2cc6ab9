/** Generates the sections of docs/commands.md: the options, exit codes and examples of each command. */
import { slug } from "github-slugger";
import { capitalize } from "../../src/base/text/index.js";
import { type CommandFacts, listCommandOptions } from "../../src/entrypoints/cli/command.js";
import { commands } from "../../src/entrypoints/cli/commands.js";
import {
  type DeclaredOptions,
  expandNegated,
  type OptionFacts,
} from "../../src/entrypoints/cli/facts/option.js";
import {
  changeOptions,
  commonOptions,
  environmentOptions,
  manifestOptions,
  serviceOptions,
  untrustedOptions,
} from "../../src/entrypoints/cli/facts/shared-options.js";
import { fence, formatCode, renderTable } from "./table.js";

/** Returns a table of commands in the groups of `--help`. Each command links to its section. */
export function renderCommandsIndex(): string {
  return [...new Set(commands.map(({ group }) => group))]
    .map((title) => {
      const rows = commands
        .filter(({ group }) => group === title)
        .map(({ name, summary }) => [`[${formatCode(name)}](#${slug(name)})`, summary] as const);
      return `**${title}**\n\n${renderTable(["command", "purpose"], rows)}`;
    })
    .join("\n\n");
}

export function renderCommandSections(): string {
  return commands.map(renderSection).join("\n\n");
}

function renderSection(facts: CommandFacts): string {
  const { name, summary, arguments: given = [], exits = [], examples } = facts;
  const options = listOwnOptions(facts);
  const synopsis = [
    "avatarops",
    name,
    ...given.map(([what]) => what),
    ...options.flatMap(({ flags, mandatory }) => (mandatory ? [flags] : [])),
    ...(options.some(({ mandatory }) => !mandatory) ? ["[OPTION...]"] : []),
  ];
  const rows = [
    ...given.map(([what, description, choices]) => [
      formatCode(what),
      describeMeaning({ description, choices }),
    ]),
    ...options.map((option) => [formatCode(option.flags), describeMeaning(option)]),
  ];
  const declared = Object.values(facts.options ?? {});
  const groups = sharedGroups
    .filter(([, options]) => declared.some((option) => option === Object.values(options)[0]))
    .map(([name]) => name);
  return [
    `## ${name}`,
    `${capitalize(summary)}.${groups.length > 0 ? ` It also takes [the options](#options-of-many-commands) ${joinWords(groups)}.` : ""}`,
    fence("text", synopsis.join(" ")),
    ...(rows.length > 0 ? [renderTable(["argument or option", "description"], rows)] : []),
    ...(exits.length > 0
      ? [
          `It exits with ${exits.map(([exit, when]) => `${formatCode(String(exit))} when ${when}`).join("; ")}.`,
        ]
      : []),
    fence("console", examples.map(([line, does]) => `# ${does}\n$ ${line}`).join("\n")),
  ].join("\n\n");
}

const sharedGroups: readonly (readonly [name: string, options: DeclaredOptions])[] = [
  ["of a project", { ...manifestOptions, ...environmentOptions }],
  ["of the service", { ...serviceOptions, ...environmentOptions }],
  ["of an untrusted change", untrustedOptions],
];

/** Returns a table of options that many commands share. */
export function renderSharedOptions(): string {
  const all = { ...manifestOptions, ...untrustedOptions, ...serviceOptions, ...environmentOptions };
  const rows = Object.entries({ ...all, ...commonOptions }).map(([key, { flags, description }]) => {
    const groups = sharedGroups.filter(([, options]) => Object.hasOwn(options, key)).map(([name]) => name);
    return [formatCode(flags), groups.join(", ") || "of every command", description] as const;
  });
  return renderTable(["option", "group", "description"], rows);
}

/** Returns the options of a command, without the shared options that the page lists once. */
function listOwnOptions(facts: CommandFacts): readonly OptionFacts[] {
  const all = { ...changeOptions, ...serviceOptions, ...environmentOptions, ...commonOptions };
  const shared = new Set<unknown>([...Object.values(all), manifestOptions.env]);
  const own = Object.entries(listCommandOptions(facts)).filter(([, option]) => !shared.has(option));
  return expandNegated(Object.fromEntries(own));
}

interface Meaning {
  readonly description: string;
  readonly choices?: readonly string[] | undefined;
  readonly defaultText?: string;
  readonly mandatory?: boolean;
}

function describeMeaning({ description, choices, defaultText, mandatory }: Meaning): string {
  const facts = [
    ...(mandatory ? ["required"] : []),
    ...(choices ? [`one of ${choices.map(formatCode).join(", ")}`] : []),
    ...(defaultText === undefined ? [] : [`default: ${formatCode(defaultText)}`]),
  ];
  return `${description}${facts.length > 0 ? ` (${facts.join("; ")})` : ""}`;
}

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
