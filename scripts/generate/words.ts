/** Converts a name such as `opening_text` to a class name such as `OpeningText`. */
export function toPascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns a kind's name as written within a sentence, such as "context" or "LLM configuration". */
export function toNoun({ title }: { readonly title: string }): string {
  return title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

const width = 110;

/** Returns a documentation comment in lines of at most 110 columns. */
export function formatDoc(text: string, indent = ""): string {
  const safe = text.replaceAll("*/", "*\\/");
  if (indent.length + safe.length + 7 <= width) return `${indent}/** ${safe} */\n`;
  const lines: string[] = [];
  for (const word of safe.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || indent.length + last.length + word.length + 4 > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
}

/** Returns a union of literals, which accepts other values if `isOpen`. */
export function formatUnion(values: readonly string[], isOpen: boolean): string {
  const literals = values.map((value) => JSON.stringify(value));
  return [...literals, ...(isOpen ? ["(string & {})"] : [])].join(" | ");
}

/** First line of a generated file. */
export const header = "// Generated from the kinds' descriptors by `npm run generate`: edit those.\n";
