import { type Block, type Inline, inline, joinInline, name, ownText, paragraph } from "./blocks.js";

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
}: Omit<Subject, "service">): Inline {
  return [
    ...(environment === undefined ? [] : inline` (${name(environment.slice(0, 100))})`),
    ...(serial === undefined ? [] : inline`, back to serial ${ownText(String(serial))}`),
    // `targets` is empty if there were no objects to compare.
    ...(targets === undefined || targets.length === 0
      ? []
      : inline`, limited to ${name(targets.join(", ").slice(0, 300))}`),
  ];
}

/** Describes the subject for Markdown, followed by `more`. */
export function renderSubject({ service, ...subject }: Subject, more: readonly Inline[]): Block {
  return paragraph(
    joinInline([inline`Service ${name(service.slice(0, 300))}${describeScope(subject)}`, ...more], " · "),
  );
}
