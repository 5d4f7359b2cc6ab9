/**
 * A text of the same length with blanks for what Markdown shows as code: fenced blocks, and what is between backticks on
 * one line. It quotes something, and is not meant for the avatar to say.
 */
export function withoutCode(text: string): string {
  if (!text.includes("`")) return text;
  const blank = (code: string) => " ".repeat(code.length);
  let isFenced = false;
  return text
    .split("\n")
    .map((line) => {
      if (!/^ {0,3}```/.test(line)) return isFenced ? blank(line) : line.replace(/`[^`]{1,200}`/g, blank);
      isFenced = !isFenced;
      return blank(line);
    })
    .join("\n");
}
