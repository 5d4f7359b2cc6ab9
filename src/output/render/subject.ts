import { type Block, type Inline, inline, joinInline, name, paragraph } from "./blocks.js";

/** The account that was compared, or the part of it selected with targets. */
interface Subject {
  readonly service: string;
  readonly environment?: string;
  readonly targets?: readonly string[];
}

export function describeScope({ environment, targets }: Omit<Subject, "service">): Inline {
  return [
    ...(environment === undefined ? [] : inline` (${name(environment.slice(0, 100))})`),
    // A rollback without changes has an empty list.
    ...(targets === undefined || targets.length === 0
      ? []
      : inline`, limited to ${name(targets.join(", ").slice(0, 300))}`),
  ];
}

/** Describes the subject for Markdown, followed by `more`. */
export function createSubjectFacts({ service, ...subject }: Subject, more: readonly Inline[]): Block {
  return paragraph(
    joinInline([inline`Service ${name(service.slice(0, 300))}${describeScope(subject)}`, ...more], " · "),
  );
}
