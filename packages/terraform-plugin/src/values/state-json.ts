import type { Path } from "../diagnostic.js";
import { numberFrom } from "./number.js";
import { maxDepth, parseType } from "./parse-type.js";
import { describeShape, emptyRecord, isList, isNumber, isRecord, own, type ValueRecord } from "./shape.js";
import type { Type } from "./type.js";
import { Dynamic, type NumberValue, type Value } from "./value.js";
import { ValueError } from "./value-error.js";

/*
 * A state as Terraform stores it: JSON, whose numbers have as many digits as they need. JSON.parse would round them,
 * and every plan would then show a difference; it gives the text of a number only from Node 21 on.
 */

/**
 * JSON without the loss of a digit. If there are numbers, each is replaced by its position in a list of all numbers before
 * JSON.parse reads the text, and put back afterwards.
 *
 * @throws ValueError
 */
export function parseJson(text: string): Value {
  const parsed = parse(text);
  if (!hasNumber(parsed)) return restoreNumbers(parsed, [], 0);
  const numbers: NumberValue[] = [];
  let quoted = false;
  const indexed = text.replace(token, (found) => {
    if (found === '"') quoted = !quoted;
    if (quoted || found === '"' || found.startsWith("\\")) return found;
    // Spaces keep invalid JSON, such as 01 and 1.2.3, invalid.
    return ` ${numbers.push(numberIn(found)) - 1} `;
  });
  return restoreNumbers(parse(indexed), numbers, 0);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, and that may hold a secret.
    throw new ValueError("the text is not JSON");
  }
}

/**
 * The value of a type that parsed JSON of a state, or of a configuration, stands for. A state may be older than the
 * type: attributes the type does not have are dropped, and those the state does not have are null.
 *
 * @throws ValueError
 */
export function fromJson(json: Value, type: Type): Value {
  return read(json, type, []);
}

function read(json: Value, type: Type, path: Path): Value {
  if (json === null) return null;
  if (typeof type === "string") return readScalar(json, type, path);
  switch (type[0]) {
    case "list":
    case "set": {
      const [, element] = type;
      return listIn(json, path).map((child, at) => read(child, element, [...path, at]));
    }
    case "tuple": {
      const list = listIn(json, path);
      if (list.length === type[1].length)
        return type[1].map((child, at) => read(list[at] ?? null, child, [...path, at]));
      throw new ValueError(`${type[1].length} elements are required, but there are ${list.length}`, path);
    }
    case "map": {
      const map = emptyRecord();
      for (const [key, child] of Object.entries(recordIn(json, path)))
        map[key] = read(child, type[1], [...path, { key }]);
      return map;
    }
    case "object": {
      const found = recordIn(json, path);
      const object = emptyRecord();
      for (const [name, child] of Object.entries(type[1])) {
        object[name] = read(own(found, name) ?? null, child, [...path, name]);
      }
      return object;
    }
  }
}

function readScalar(json: Value, type: Extract<Type, string>, path: Path): Value {
  if (type === "dynamic") return readDynamic(recordIn(json, path), path);
  const fits = type === "number" ? isNumber(json) : typeof json === (type === "bool" ? "boolean" : "string");
  if (fits) return json;
  throw new ValueError(`a ${type} is required, but this is ${describeShape(json)}`, path);
}

/** `{ "type": …, "value": … }`. */
function readDynamic(json: ValueRecord, path: Path): Dynamic {
  const type = typeIn(json, path);
  // As on the wire: were it taken, values could be nested without end.
  if (type === "dynamic") throw new ValueError("the type of a dynamic value cannot be dynamic itself", path);
  return new Dynamic(type, read(own(json, "value") ?? null, type, path));
}

function typeIn(json: ValueRecord, path: Path): Type {
  try {
    return parseType(own(json, "type"));
  } catch (error) {
    throw error instanceof ValueError ? new ValueError(error.problem, path) : error;
  }
}

function listIn(json: Value, path: Path): readonly Value[] {
  if (isList(json)) return json;
  throw new ValueError(`a list is required, but this is ${describeShape(json)}`, path);
}

function recordIn(json: Value, path: Path): ValueRecord {
  if (isRecord(json)) return json;
  throw new ValueError(`an object is required, but this is ${describeShape(json)}`, path);
}

/** Quotes, escapes of quotes, numbers. In a text all but its end is passed over. */
const token = /"|\\.|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function numberIn(text: string): NumberValue {
  const number = numberFrom(text);
  if (number === undefined) throw new ValueError("a number is larger or smaller than any");
  return number;
}

/** Deeper than is allowed, nothing is looked at. */
function hasNumber(parsed: unknown, depth = 0): boolean {
  if (typeof parsed !== "object" || parsed === null || depth > maxDepth) return typeof parsed === "number";
  return Object.values(parsed).some((child) => hasNumber(child, depth + 1));
}

function restoreNumbers(parsed: unknown, numbers: readonly NumberValue[], depth: number): Value {
  if (depth > maxDepth) throw new ValueError("the text is nested too deeply");
  if (typeof parsed === "number") return numbers[parsed] ?? 0;
  if (isList(parsed)) return parsed.map((child) => restoreNumbers(child, numbers, depth + 1));
  if (typeof parsed !== "object" || parsed === null) return parsed as string | boolean | null;
  const record = emptyRecord();
  for (const [key, child] of Object.entries(parsed)) record[key] = restoreNumbers(child, numbers, depth + 1);
  return record;
}
