import { type Block, joinWords, name, ours, paragraph, type Words, words } from "./blocks.js";

/** The account that was compared, or the part of it selected with targets. */
interface Subject {
  readonly service: string;
  readonly environment?: string;
  readonly targets?: readonly string[];
  readonly restored_serial?: number;
}

export function describeScope({
  environment,
  targets,
  restored_serial: serial,
}: Omit<Subject, "service">): Words {
  return [
    ...(environment === undefined ? [] : words` (${name(environment.slice(0, 100))})`),
    ...(serial === undefined ? [] : words`, back to serial ${ours(String(serial))}`),
    // Without objects to compare, the list is empty.
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
