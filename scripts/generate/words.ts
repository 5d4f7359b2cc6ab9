/** `opening_text` as a class name: `OpeningText`. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** `Context` in a sentence: "a Context", "an Avatar". */
export function withArticle(name: string): string {
  return `${/^([aeiou]|llm)/i.test(name) ? "an" : "a"} ${name}`;
}

/** A kind in the middle of a sentence: "context", "LLM configuration". */
export function noun({ title }: { readonly title: string }): string {
  return title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

const width = 110;

/** A documentation comment, in lines of at most 110 columns. */
export function doc(text: string, indent = ""): string {
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

/** Values as a union of literals, open to others if more may be allowed. */
export function union(values: readonly string[], isOpen: boolean): string {
  const literals = values.map((value) => JSON.stringify(value));
  return [...literals, ...(isOpen ? ["(string & {})"] : [])].join(" | ");
}

/** The first line of a generated file. */
export const header = "// Generated from the kinds' descriptors by `npm run generate`: edit those.\n";
