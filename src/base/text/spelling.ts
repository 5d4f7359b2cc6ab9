/** Converts a name in code to the service's spelling, such as `openingText` to `opening_text`. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Adds the article: "an avatar", "a Voice", "an LLM configuration". */
export function addArticle(noun: string): string {
  return `${/^([aeiou]|llm)/i.test(noun) ? "an" : "a"} ${noun}`;
}
