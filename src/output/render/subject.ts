import { type Block, joined, name, paragraph, type Words, words } from "./blocks.js";

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
