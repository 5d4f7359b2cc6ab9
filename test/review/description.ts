import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** The published description of a host's interface: see descriptions/README.md. */
export interface Description {
  /** The operation of a request, such as "GET /repos/{owner}/{repo}/pulls", and the values in its path. */
  find(
    method: string,
    path: string,
  ): { operation: string; values: Readonly<Record<string, string>> } | undefined;
  /** What is wrong with a request; empty if nothing is. Parameters and properties that are not described are wrong. */
  problemsOf(operation: string, query: URLSearchParams, body: Json | undefined): string[];
  /** An answer with these values, and with what its description requires besides. @throws Error if it is wrong */
  answer(operation: string, status: number, values: Json): Json;
}

interface Operation {
  readonly query: Readonly<Record<string, JsonObject>>;
  readonly body: JsonObject | null;
  readonly responses: Readonly<Record<string, JsonObject | null>>;
}

/** Reading and compiling one takes longer than most tests. */
const read = new Map<string, Description>();

export function descriptionOf(name: string): Description {
  const found = read.get(name) ?? readDescription(name);
  read.set(name, found);
  return found;
}

function readDescription(name: string): Description {
  const file = path.join(import.meta.dirname, "descriptions", `${name}.json`);
  const whole = JSON.parse(readFileSync(file, "utf8")) as JsonObject;
  const operations = whole.operations as unknown as Readonly<Record<string, Operation>>;
  // "repo.nwo" is a format of GitHub's own.
  const settings = { strict: false, allErrors: true, formats: { "repo.nwo": true } } as const;
  const ajv = addFormats.default(new Ajv({ ...settings }));
  const coercing = addFormats.default(new Ajv({ ...settings, coerceTypes: true }));
  for (const each of [ajv, coercing]) each.addSchema(whole, "host");
  const pointer = (...keys: string[]) => ({
    $ref: `host#/${keys.map((key) => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`,
  });
  const compiled = new Map<string, ValidateFunction>();
  const validator = (using: Ajv, ...keys: string[]) => {
    const { $ref } = pointer(...keys);
    const found = compiled.get($ref) ?? using.compile({ $ref });
    compiled.set($ref, found);
    return found;
  };
  const of = (operation: string) => {
    const found = operations[operation];
    if (!found) throw new Error(`The description of ${name} has no ${operation}`);
    return found;
  };
  const resolved = (schema: JsonObject): JsonObject => {
    if (typeof schema.$ref !== "string") return schema;
    const keys = schema.$ref.slice(2).split("/");
    return resolved(keys.reduce<Json>((node, key) => (node as JsonObject)[key] ?? null, whole) as JsonObject);
  };
  const wrong = (validate: ValidateFunction, value: unknown, where: string) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message, params }) =>
          [where, instancePath, message, JSON.stringify(params)].join(" "),
        );

  return {
    find(method, path) {
      for (const operation of Object.keys(operations)) {
        const [verb, template = ""] = operation.split(" ");
        const names = Array.from(template.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
        const pattern = template.replace(/\{\w+\}/g, "([^/]+)");
        const found = verb === method ? new RegExp(`^${pattern}$`).exec(path) : null;
        if (!found) continue;
        const values = names.map((name, at) => [name, decodeURIComponent(found[at + 1] ?? "")] as const);
        return { operation, values: Object.fromEntries(values) };
      }
      return undefined;
    },
    problemsOf(operation, query, body) {
      const described = of(operation);
      const problems: string[] = [];
      for (const [name, value] of query) {
        if (!described.query[name]) problems.push(`${operation}: no parameter ${name}`);
        else {
          const validate = validator(coercing, "operations", operation, "query", name);
          problems.push(...wrong(validate, value, `${operation} ?${name}=${value}`));
        }
      }
      if (described.body === null)
        return body === undefined ? problems : [...problems, `${operation}: no body`];
      if (body === undefined) return [...problems, `${operation}: the body is missing`];
      problems.push(...wrong(validator(ajv, "operations", operation, "body"), body, operation));
      const whole = resolved(described.body);
      // GitHub: some take one of several forms.
      const forms = [whole, ...((whole.anyOf ?? whole.oneOf ?? []) as readonly JsonObject[]).map(resolved)];
      const known = forms.flatMap(({ properties = {} }) => Object.keys(properties as JsonObject));
      const unknown = Object.keys(body as JsonObject).filter((key) => !known.includes(key));
      return [...problems, ...unknown.map((key) => `${operation}: no property ${key}`)];
    },
    answer(operation, status, values) {
      const schema = of(operation).responses[String(status)];
      if (schema === undefined) throw new Error(`${operation} does not answer ${status}`);
      if (schema === null) return null;
      const filled = fill(schema, values, resolved);
      const validate = validator(ajv, "operations", operation, "responses", String(status));
      // Gitea's does not say what may be null, as `creator` of a status is.
      const stated = name === "gitea" ? withoutNulls(filled) : filled;
      const problems = wrong(validate, stated, `the answer to ${operation}`);
      if (problems.length > 0) throw new Error(problems.join("\n"));
      return filled;
    },
  };
}

function withoutNulls(value: Json): Json {
  return JSON.parse(JSON.stringify(value), (_, one) => one ?? undefined) as Json;
}

/** The values, completed with the least that the schema requires. */
function fill(
  given: JsonObject,
  values: Json | undefined,
  resolved: (schema: JsonObject) => JsonObject,
): Json {
  const schema = resolved(given);
  const [choice] = (schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []) as readonly JsonObject[];
  if (choice && !schema.properties) return values === null ? null : fill(choice, values, resolved);
  if (schema.type === "array")
    return ((values ?? []) as readonly Json[]).map((one) => fill(schema.items as JsonObject, one, resolved));
  if (schema.type !== "object" && !schema.properties) return values ?? leastOf(schema);
  if (values === null) return null;
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonObject>>;
  const own = (values ?? {}) as JsonObject;
  const names = new Set([...((schema.required ?? []) as string[]), ...Object.keys(own)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const property = properties[name];
      return [name, property ? fill(property, own[name], resolved) : (own[name] ?? null)];
    }),
  );
}

function leastOf({ type, format, enum: values }: JsonObject): Json {
  if (Array.isArray(values)) return values[0] ?? null;
  const kind = Array.isArray(type) ? type[0] : type;
  if (kind === "integer" || kind === "number") return 1;
  if (kind === "boolean") return false;
  if (kind === "null") return null;
  if (format === "uri") return "https://host.example.com/";
  if (format === "date-time") return "2026-01-01T00:00:00Z";
  return format === "email" ? "one@example.com" : "text";
}
