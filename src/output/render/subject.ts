import type { PlanDocument } from "../documents/index.js";
import {
  type Block,
  command,
  gap,
  inMarkdown,
  inText,
  joined,
  name,
  ours,
  paragraph,
  type Words,
  words,
} from "./blocks.js";
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

/** So many leave room for a plan in Markdown. */
const mostRows = 100;

/** The objects that no file declares; none unless requested. */
export function undeclaredBlocks(undeclared: PlanDocument["undeclared"]): Block[] {
  if (undeclared === undefined) return [];
  const [first] = undeclared;
  if (!first) return [paragraph([ours("Every object of the account is declared.", "strong")]), gap];
  const are = undeclared.length === 1 ? "is" : "are";
  const many = count(undeclared.length, "object");
  const left = undeclared.length - mostRows;
  const table = (objects: typeof undeclared): Block => ({
    is: "table",
    columns: ["kind", "id", "name"].map((title) => ({ title, is: "foreign" })),
    rows: objects.map(({ kind, id, label }) => [kind, id, label]),
    isCut: true,
  });
  return [
    paragraph([ours(`${many} of the account ${are} not declared in any file.`, "strong")]),
    inMarkdown(
      table(undeclared.slice(0, mostRows)),
      ...(left > 0 ? [paragraph([ours(`${count(left, "more object")} not shown here.`)])] : []),
    ),
    inText(
      table(undeclared),
      paragraph([ours("To declare one: ", "dim"), command(commands.declare(first.kind, first.id), "dim")]),
    ),
    gap,
  ];
}
