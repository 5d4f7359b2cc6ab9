import * as z from "zod";
import { kinds } from "../../kinds/index.js";
import { manifestForm } from "./form.js";

/*
 * Field names use the service's spelling in YAML and camelCase in code, such as `opening_text` and `openingText`. Only
 * this file converts field names. For other names, use `toSnakeCase` in text/.
 */

export function toCamelCase(field: string): string {
  return field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the field name of a property in code, or the property itself if it is not a field. */
export function toField(property: string): string {
  return mapFieldsByProperty().get(property) ?? property;
}

/** Converts the YAML notation in a message to TypeScript notation. Does not change addresses. */
export function rewriteForCode(sentence: string): string {
  const spelled = sentence.replace(/\b[a-z]+(?:_[a-z]+)+\b\.?/g, (word) => {
    if (kinds.some(({ name }) => word === `${name}.`)) return word;
    const property = toCamelCase(word);
    return mapFieldsByProperty().has(property.replace(".", "")) ? property : word;
  });
  return phrases.reduce((text, [yaml, code]) => text.replace(yaml, code as Rewriter), spelled);
}

/** Returns the function name for a source's tag: `azureKeyVault` for `!azure-key-vault`. */
export function toFunctionName(kind: string): string {
  return kind.replace(/-([a-z\d])/g, (_, letter: string) => letter.toUpperCase());
}

type Rewriter = (...found: string[]) => string;

let fields: ReadonlyMap<string, string> | undefined;

function mapFieldsByProperty(): ReadonlyMap<string, string> {
  fields ??= new Map(listFields(manifestForm).map((field) => [toCamelCase(field), field]));
  return fields;
}

function listFields(schema: unknown): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodLazy) return listFields(schema.unwrap());
  if (schema instanceof z.ZodArray) return listFields(schema.element);
  if (schema instanceof z.ZodRecord) return listFields(schema.valueType);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, inner]) => [name, ...listFields(inner)]);
}

/** YAML notation and its equivalent in code, longest first. */
const phrases: readonly (readonly [RegExp, string | Rewriter])[] = [
  [/ or !exec \{[^{}]*\}/, ' or exec(["command", "argument"], { timeoutSeconds: 10 })'],
  [/!exec \[[^[\]]*\]/g, 'exec(["command", "argument"])'],
  [/!(env|file) ([\w./]*[\w/])/g, '$1("$2")'],
  [/!([a-z][a-z\d]*(?:-[a-z\d]+)*)/g, (_: string, name: string) => `${toFunctionName(name)}()`],
];
