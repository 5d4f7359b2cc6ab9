import type { PlanDocument } from "../documents/index.js";
import { type Block, command, joined, name, ours, paragraph, type Words, words } from "./blocks.js";
import { commands } from "./commands.js";
import { count } from "./phrases.js";

/** What was compared: the account, and a part of it if targets were given. */
interface Subject {
  readonly service: string;
  readonly environment?: string;
  readonly targets?: readonly string[];
}

/** The end of a title: the environment, and what it is limited to. */
export function scope({ environment, targets }: Subject): Words {
  return [
    ...(environment === undefined ? [] : words` (${name(environment)})`),
    ...(targets === undefined ? [] : words`, limited to ${name(targets.join(", ") || "nothing")}`),
  ];
}

/** The same for Markdown, with further facts. */
export function subjectFacts({ service, environment, targets }: Subject, more: readonly Words[]): Block {
  const facts = [
    words`Service ${name(service.slice(0, 300))}`,
    ...(environment === undefined ? [] : [words`environment ${name(environment.slice(0, 100))}`]),
    ...(targets === undefined
      ? []
      : [words`limited to ${name(targets.join(", ").slice(0, 300) || "nothing")}`]),
    ...more,
  ];
  return paragraph(joined(facts, " · "));
}

/** The objects that no file declares; none unless requested. */
export function undeclaredBlocks(undeclared: PlanDocument["undeclared"]): Block[] {
  if (undeclared === undefined) return [];
  const [first] = undeclared;
  const isOne = undeclared.length === 1;
  return [
    {
      is: "folded",
      sentence: first
        ? `${count(undeclared.length, "object")} of the account ${isOne ? "is" : "are"} not declared in any file.`
        : "Every object of the account is declared.",
      titles: ["Kind", "Id", "Name"],
      rows: undeclared.map(({ kind, id, label }) => [kind, id, label]),
      hint: first
        ? [ours("To declare one: ", "dim"), command(commands.declare(first.kind, first.id), "dim")]
        : [],
      seeAll: words`${command(commands.undeclared)} lists them.`,
    },
  ];
}
