import type { TerraformMetaArguments } from "cdktn";

/*
 * Terraform resolves `${name}` and `%{if …}` in every string, but `${name}` in a prompt is the service's placeholder. A
 * string from a file must not read the pipeline's variables. CDKTF's `Fn.rawString` doubles quotes and misses `%{`, so
 * this file escapes every string except tokens (`${TfToken[…]}`).
 */

/** Terraform's meta-arguments, which every block may have. */
const metaArguments = new Set<string>([
  "dependsOn",
  "count",
  "provider",
  "forEach",
  "lifecycle",
  "connection",
  "provisioners",
] satisfies (keyof TerraformMetaArguments)[]);

/** Escapes all strings in `props`, except in meta-arguments. Class instances (tokens, constructs) stay unchanged. */
export function literal<P extends object>(props: P): P {
  const entries = Object.entries(props).map(([name, value]) => [
    name,
    metaArguments.has(name) ? value : escapeValue(value),
  ]);
  return Object.fromEntries(entries) as P;
}

function escapeValue(value: unknown): unknown {
  if (typeof value === "string") return escapeText(value);
  if (Array.isArray(value)) return value.map(escapeValue);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, escapeValue(inner)]));
}

function escapeText(text: string): string {
  return text.replace(/\$\{(?!TfToken\[)/g, "$$$${").replace(/%\{/g, "%%{");
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
