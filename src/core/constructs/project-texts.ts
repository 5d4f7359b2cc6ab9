import type { Kind, Value } from "../kinds/index.js";
import { type NamedObject, toCamelCase, toDeclaredSpec, toFunctionName } from "../manifest/index.js";
import { isEnv, isExec, isFile, type SourceValue, type ValueSource } from "../secrets/index.js";

/** Renders statements that declare objects, for a file with the variable `project`. */
export function printStatements(objects: readonly NamedObject[]): string {
  const used = new Set<string>();
  const statements = objects.map((object) => {
    used.add(object.kind.className);
    return writeStatement(object, used);
  });
  return [`// import { ${[...used].sort(compareWords).join(", ")} } from "avatarops";`, ...statements].join(
    "\n",
  );
}

function writeStatement({ kind, key, id, spec, sources = {} }: NamedObject, used: Set<string>): string {
  const properties = id === undefined ? [] : [`id: ${quoteLiteral(id)}`];
  const declared = toDeclaredSpec(kind, spec);
  for (const [name, field] of Object.entries(kind.fields)) {
    const [value, source] = [declared[name], sources[name]];
    if (source) {
      const isText = field.type === "string" && !field.writeOnly;
      properties.push(`${toCamelCase(name)}: ${writeSourceCall(source, used, isText)}`);
    }
    if (value !== undefined) properties.push(`${toCamelCase(name)}: ${writeValue(value)}`);
  }
  return writeConstruct(kind, key, properties);
}

/** Renders a construct, on one line if it is short. */
function writeConstruct({ className }: Kind, key: string, properties: readonly string[]): string {
  const begin = `new ${className}(project, ${quoteLiteral(key)}, `;
  const line = `${begin}${writeRecord(properties)});`;
  if (line.length <= 100 && !line.includes("\n")) return line;
  return `${begin}{\n${properties.map((property) => `  ${property},\n`).join("")}});`;
}

function writeRecord(properties: readonly string[]): string {
  return properties.length === 0 ? "{}" : `{ ${properties.join(", ")} }`;
}

function writeValue(value: Value): string {
  if (typeof value !== "object") return typeof value === "string" ? quoteLiteral(value) : String(value);
  if (Array.isArray(value)) {
    const items = value.map((item: Value) => `    ${writeValue(item)},\n`);
    return items.length === 0 ? "[]" : `[\n${items.join("")}  ]`;
  }
  return writeRecord(Object.entries(value).map(([key, part]) => `${toCamelCase(key)}: ${writeValue(part)}`));
}

function writeSourceCall(source: ValueSource, used: Set<string>, isText: boolean): string {
  const name = isText && isFile(source) ? "promptFile" : toFunctionName(source.from);
  used.add(name);
  if (isEnv(source)) return `${name}(${quoteLiteral(source.name)})`;
  if (isFile(source)) return `${name}(${quoteLiteral(source.path)})`;
  const { from: _, timeoutMs, ...fields } = source;
  const timeout = timeoutMs === undefined ? [] : [`timeoutSeconds: ${timeoutMs / 1000}`];
  if (isExec(source))
    return `${name}(${[writeProperty(source.command), ...timeout.map((text) => `{ ${text} }`)].join(", ")})`;
  const properties = Object.entries(fields).flatMap(([field, value]) =>
    value === undefined ? [] : [`${field}: ${writeProperty(value)}`],
  );
  return `${name}(${writeRecord([...properties, ...timeout])})`;
}

function writeProperty(value: SourceValue): string {
  if (typeof value === "object") return `[${value.map(quoteLiteral).join(", ")}]`;
  return typeof value === "string" ? quoteLiteral(value) : String(value);
}

/** Invisible and reordering characters that JSON does not escape. */
const unseen =
  /[\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]|[\u{e0000}-\u{e0fff}]/gu;

function quoteLiteral(text: string): string {
  const escapeCharacter = (character: string) => {
    const point = character.codePointAt(0) ?? 0;
    return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, "0")}`;
  };
  return JSON.stringify(text).replace(unseen, escapeCharacter);
}

function compareWords(a: string, b: string): number {
  return a.toLowerCase() < b.toLowerCase() ? -1 : 1;
}
