/** Version in a changelog. */
export interface Section {
  /** Undefined for Unreleased. */
  readonly version?: string;
  /** Release date, such as 2026-01-31. */
  readonly date?: string;
  /** Text without the heading. */
  readonly text: string;
}

/**
 * Returns the sections of a changelog in the format of Keep a Changelog, newest first.
 *
 * @throws Error for a heading that is neither `[Unreleased]` nor `[1.2.3] - 2026-01-31`.
 */
export function parseSections(changelog: string): Section[] {
  const [, ...parts] = changelog.replace(/^\[[^\]]+\]: .*$/gm, "").split(/^## /m);
  return parts.map((part) => {
    const [heading = "", ...lines] = part.split("\n");
    const text = lines.join("\n").trim();
    if (heading === "[Unreleased]") return { text };
    const [, version, date] = /^\[(\d+\.\d+\.\d+(?:-[\w.]+)?)\] - (\d{4}-\d\d-\d\d)$/.exec(heading) ?? [];
    if (!version || !date) throw new Error(`"${heading}" is not a version heading.`);
    return { version, date, text };
  });
}
