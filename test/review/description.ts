import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** A code host's published API description. See descriptions/README.md. */
export interface Description {
  /** Finds a request's operation, such as "GET /repos/{owner}/{repo}/pulls", and its path parameters. */
  find(
    method: string,
    path: string,
  ): { operation: string; values: Readonly<Record<string, string>> } | undefined;
  /** Returns the mistakes in a request, including undescribed parameters and properties. */
  findProblems(operation: string, query: URLSearchParams, body: Json | undefined): string[];
  /**
   * Returns a response with these values, and generated values for other required properties. @throws Error if the
   * description does not allow the response
   */
  makeResponse(operation: string, status: number, values: Json): Json;
}

interface Operation {
  readonly query: Readonly<Record<string, JsonObject>>;
  readonly body: JsonObject | null;
  readonly responses: Readonly<Record<string, JsonObject | null>>;
}

/** Cached descriptions by name. Reading and compiling a description takes longer than most tests. */
const descriptions = new Map<string, Description>();

export function loadDescription(name: string): Description {
  const found = descriptions.get(name) ?? readDescription(name);
  descriptions.set(name, found);
  return found;
}

function readDescription(name: string): Description {
  const file = path.join(import.meta.dirname, "descriptions", `${name}.json`);
  const whole = JSON.parse(readFileSync(file, "utf8")) as JsonObject;
  const operations = whole.operations as unknown as Readonly<Record<string, Operation>>;
  // "repo.nwo" is a custom GitHub format.
  const settings = {
    strict: false,
    allErrors: true,
    code: { optimize: false },
    formats: { "repo.nwo": true },
  } as const;
  const ajv = addFormats.default(new Ajv({ ...settings }));
  const coercing = addFormats.default(new Ajv({ ...settings, coerceTypes: true }));
  for (const each of [ajv, coercing]) each.addSchema(whole, "host");
  const makeReference = (...keys: string[]) => ({
    $ref: `host#/${keys.map((key) => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`,
  });
  const compiled = new Map<string, ValidateFunction>();
  const compile = (using: Ajv, ...keys: string[]) => {
    const { $ref } = makeReference(...keys);
    const found = compiled.get($ref) ?? using.compile({ $ref });
    compiled.set($ref, found);
    return found;
  };
  const findOperation = (operation: string) => {
    const found = operations[operation];
    if (!found) throw new Error(`The description of ${name} has no ${operation}`);
    return found;
  };
  const resolve = (schema: JsonObject): JsonObject => {
    if (typeof schema.$ref !== "string") return schema;
    const keys = schema.$ref.slice(2).split("/");
    return resolve(keys.reduce<Json>((node, key) => (node as JsonObject)[key] ?? null, whole) as JsonObject);
  };
  const findErrors = (validate: ValidateFunction, value: unknown, where: string) =>
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
        // A ref contains slashes.
        const pattern = template.replace(/\{ref\}$/, "(.+)").replace(/\{\w+\}/g, "([^/]+)");
        const found = verb === method ? new RegExp(`^${pattern}$`).exec(path) : null;
        if (!found) continue;
        const values = names.map((name, at) => [name, decodeURIComponent(found[at + 1] ?? "")] as const);
        return { operation, values: Object.fromEntries(values) };
      }
      return undefined;
    },
    findProblems(operation, query, body) {
      const described = findOperation(operation);
      const problems: string[] = [];
      for (const [name, value] of query) {
        if (!described.query[name]) problems.push(`${operation}: no parameter ${name}`);
        else {
          const validate = compile(coercing, "operations", operation, "query", name);
          problems.push(...findErrors(validate, value, `${operation} ?${name}=${value}`));
        }
      }
      if (described.body === null)
        return body === undefined ? problems : [...problems, `${operation}: no body`];
      if (body === undefined) return [...problems, `${operation}: the body is missing`];
      problems.push(...findErrors(compile(ajv, "operations", operation, "body"), body, operation));
      const whole = resolve(described.body);
      // On GitHub, some operations accept one of several forms.
      const forms = [whole, ...((whole.anyOf ?? whole.oneOf ?? []) as readonly JsonObject[]).map(resolve)];
      const known = forms.flatMap(({ properties = {} }) => Object.keys(properties as JsonObject));
      const unknown = Object.keys(body as JsonObject).filter((key) => !known.includes(key));
      return [...problems, ...unknown.map((key) => `${operation}: no property ${key}`)];
    },
    makeResponse(operation, status, values) {
      const schema = findOperation(operation).responses[String(status)];
      if (schema === undefined) throw new Error(`${operation} has no response ${status}`);
      if (schema === null) return null;
      const filled = fill(schema, values, resolve);
      const validate = compile(ajv, "operations", operation, "responses", String(status));
      // Gitea's description does not mark nullable fields, such as `creator` of a status.
      const stated = name === "gitea" ? removeNulls(filled) : filled;
      const problems = findErrors(validate, stated, `the response to ${operation}`);
      if (problems.length > 0) throw new Error(problems.join("\n"));
      return filled;
    },
  };
}

function removeNulls(value: Json): Json {
  return JSON.parse(JSON.stringify(value), (_, one) => one ?? undefined) as Json;
}

/** Adds generated values for missing required properties. */
function fill(
  given: JsonObject,
  values: Json | undefined,
  resolve: (schema: JsonObject) => JsonObject,
): Json {
  const schema = resolve(given);
  const [choice] = (schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []) as readonly JsonObject[];
  if (choice && !schema.properties) return values === null ? null : fill(choice, values, resolve);
  if (schema.type === "array")
    return ((values ?? []) as readonly Json[]).map((one) => fill(schema.items as JsonObject, one, resolve));
  if (schema.type !== "object" && !schema.properties) return values ?? makeMinimal(schema);
  if (values === null) return null;
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonObject>>;
  const own = (values ?? {}) as JsonObject;
  const names = new Set([...((schema.required ?? []) as string[]), ...Object.keys(own)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const property = properties[name];
      return [name, property ? fill(property, own[name], resolve) : (own[name] ?? null)];
    }),
  );
}

function makeMinimal({ type, format, enum: values }: JsonObject): Json {
  if (Array.isArray(values)) return values[0] ?? null;
  const kind = Array.isArray(type) ? type[0] : type;
  if (kind === "integer" || kind === "number") return 1;
  if (kind === "boolean") return false;
  if (kind === "null") return null;
  if (format === "uri") return "https://host.example.com/";
  if (format === "date-time") return "2026-01-01T00:00:00Z";
  return format === "email" ? "one@example.com" : "text";
}
