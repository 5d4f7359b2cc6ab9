import type { TerraformMetaArguments } from "cdktn";

/*
 * Terraform treats every text of a configuration as a template: it resolves `${name}` and evaluates `%{if
 * …}`. In a prompt, `${name}` is the service's own placeholder and must arrive unchanged; and a text from a
 * file must not be able to read the pipeline's variables. CDKTF writes texts unchanged, and its own
 * `Fn.rawString` doubles quotes and misses `%{`. So every text for the service is escaped here, except
 * tokens: CDKTF writes these as `${TfToken[…]}` for values that are known later.
 */

/** Terraform's own arguments, which every block may have. */
const metaArguments = new Set<string>([
  "dependsOn",
  "count",
  "provider",
  "forEach",
  "lifecycle",
  "connection",
  "provisioners",
] satisfies (keyof TerraformMetaArguments)[]);

/**
 * The same arguments, with all texts escaped except those of Terraform's own arguments. Instances of classes (tokens, constructs)
 * stay unchanged.
 */
export function literal<P extends object>(props: P): P {
  const entries = Object.entries(props).map(([name, value]) => [
    name,
    metaArguments.has(name) ? value : escaped(value),
  ]);
  return Object.fromEntries(entries) as P;
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
