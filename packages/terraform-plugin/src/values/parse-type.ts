import { isList, isRecord } from "./shape.js";
import type { Type } from "./type.js";
import { ValueError } from "./value-error.js";

/** How deep types may be nested. Values are as deep as their types, so this bounds every walk over them. */
export const maxDepth = 200;

/**
 * The type that JSON text spells.
 *
 * @throws ValueError
 */
export function parseTypeText(text: string): Type {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw notAType();
  }
  return parseType(json);
}

/**
 * The type that parsed JSON spells.
 *
 * @throws ValueError
 */
export function parseType(json: unknown, depth = 0): Type {
  if (depth > maxDepth) throw new ValueError("a type is nested too deeply");
  if (json === "string" || json === "number" || json === "bool" || json === "dynamic") return json;
  if (isList(json)) {
    const [kind, argument] = json;
    switch (kind) {
      case "list":
      case "set":
      case "map":
        return [kind, parseType(argument, depth + 1)];
      case "tuple":
        if (!isList(argument)) break;
        return ["tuple", argument.map((child) => parseType(child, depth + 1))];
      case "object":
        if (!isRecord(argument)) break;
        return ["object", parseAttributes(argument, depth)];
    }
  }
  throw notAType();
}

function notAType(): ValueError {
  return new ValueError("the type of a value is not spelled as the protocol spells types");
}

function parseAttributes(argument: object, depth: number): { readonly [name: string]: Type } {
  const types: { [name: string]: Type } = Object.create(null);
  for (const [name, type] of Object.entries(argument)) types[name] = parseType(type, depth + 1);
  return types;
}
