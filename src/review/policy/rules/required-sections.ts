import { judgePrompt, type Rule } from "../rule.js";

export const findMissingSections: Rule<"required-sections"> = (declaration, { sections }) =>
  judgePrompt(declaration, (text) => {
    const headings = new Set(listHeadings(text));
    return sections
      .filter((section) => !headings.has(normalizeHeading(section)))
      .map((section) => ({
        message: `lacks the required section ${JSON.stringify(section)}`,
        hint: `add a heading: # ${section}`,
      }));
  });

/** Lists the Markdown headings (`# …`, and lines underlined with === or ---) outside fenced code. */
function listHeadings(text: string): string[] {
  const found: string[] = [];
  let fence: string | undefined;
  let above = "";
  for (const line of text.split("\n").map((rawLine) => rawLine.trim())) {
    const opening = /^(?:```+|~~~+)/.exec(line)?.[0];
    if (fence === undefined && opening !== undefined) fence = opening;
    else if (fence !== undefined) {
      if (opening !== undefined && line === opening && opening.startsWith(fence)) fence = undefined;
    } else if (/^#{1,6}(?:\s|$)/.test(line)) found.push(normalizeHeading(line));
    else if (above !== "" && /^(?:=+|-+)$/.test(line)) found.push(normalizeHeading(above));
    above = line;
  }
  return found;
}

/** Ignores case, spacing and "#" characters. */
function normalizeHeading(heading: string): string {
  const words = heading.normalize("NFC").toLowerCase().replaceAll("#", " ").split(/\s+/);
  return words.filter(Boolean).join(" ");
}
