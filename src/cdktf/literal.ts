/*
 * Terraform reads every text of a configuration as a template: `${name}` is looked up, `%{if …}` is obeyed. In a
 * prompt, `${name}` is the service's own placeholder and must arrive as it was written; and a text out of a file must
 * not be able to read the pipeline's variables. CDKTF writes texts as they are, and its own `Fn.rawString` doubles
 * quotes and forgets `%{`. So every text that goes to the service is escaped here, but for tokens: what CDKTF itself
 * writes as `${TfToken[…]}` in the place of a value that is known later.
 */

/** The same value, with every text in it escaped. Objects of classes (tokens, constructs) are left alone. */
export function literal<T>(value: T): T {
  return escaped(value) as T;
}

function escaped(value: unknown): unknown {
  if (typeof value === "string") return escapedText(value);
  if (Array.isArray(value)) return value.map(escaped);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, escaped(inner)]));
}

function escapedText(text: string): string {
  return text.replace(/\$\{(?!TfToken\[)/g, "$$$${").replace(/%\{/g, "%%{");
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
