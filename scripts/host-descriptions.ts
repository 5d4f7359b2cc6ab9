/**
 * Extracts the operations that we use from the published API descriptions of the code hosts, and writes them to
 * test/review/descriptions. GitHub's descriptions come from npm (394 MB installed), and Gitea's come from its Go
 * module. With `--check`, it writes nothing and fails if a file differs.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readOptions } from "./options.js";
import { downloadGoModule } from "./tools/go.js";
import { giteaModule, tools } from "./tools.js";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Node = { readonly [key: string]: Json };

const githubOperations = [
  "GET /user",
  "GET /repos/{owner}/{repo}/collaborators/{username}/permission",
  "GET /repos/{owner}/{repo}/pulls",
  "POST /repos/{owner}/{repo}/pulls",
  "GET /repos/{owner}/{repo}/pulls/{pull_number}",
  "PATCH /repos/{owner}/{repo}/pulls/{pull_number}",
  "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews",
  "GET /repos/{owner}/{repo}/pulls/{pull_number}/commits",
  "GET /repos/{owner}/{repo}/activity",
  "GET /repos/{owner}/{repo}/issues/{issue_number}/comments",
  "POST /repos/{owner}/{repo}/issues/{issue_number}/comments",
  "PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}",
  "DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}",
  "GET /repos/{owner}/{repo}/issues/{issue_number}",
  "POST /repos/{owner}/{repo}/statuses/{sha}",
  "GET /repos/{owner}/{repo}/commits/{ref}/statuses",
  "GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls",
];
const giteaOperations = [
  "GET /user",
  "GET /repos/{owner}/{repo}/collaborators/{collaborator}/permission",
  "GET /repos/{owner}/{repo}/assignees",
  "GET /repos/{owner}/{repo}/teams",
  "GET /repos/{owner}/{repo}/pulls",
  "POST /repos/{owner}/{repo}/pulls",
  "GET /repos/{owner}/{repo}/pulls/{index}",
  "PATCH /repos/{owner}/{repo}/pulls/{index}",
  "GET /repos/{owner}/{repo}/pulls/{index}/reviews",
  "GET /repos/{owner}/{repo}/pulls/{index}/commits",
  "GET /repos/{owner}/{repo}/issues/{index}/comments",
  "POST /repos/{owner}/{repo}/issues/{index}/comments",
  "PATCH /repos/{owner}/{repo}/issues/comments/{id}",
  "DELETE /repos/{owner}/{repo}/issues/comments/{id}",
  "GET /repos/{owner}/{repo}/issues/{index}/timeline",
  "POST /repos/{owner}/{repo}/statuses/{sha}",
  "GET /repos/{owner}/{repo}/statuses/{sha}",
  "GET /repos/{owner}/{repo}/commits/{sha}/pull",
  "GET /repos/{owner}/{repo}/git/refs/{ref}",
];

const wordsForReaders = new Set([
  "description",
  "example",
  "examples",
  "title",
  "externalDocs",
  "deprecated",
]);

const { values } = readOptions("npx tsx scripts/host-descriptions.ts [--check]", {
  options: { check: { type: "boolean", default: false } },
});
const folder = path.resolve(import.meta.dirname, "../test/review/descriptions");

tools.openapi.install();
const octokit = path.join(tools.openapi.path, "node_modules/@octokit/openapi");
const { version } = JSON.parse(readFileSync(path.join(octokit, "package.json"), "utf8")) as {
  version: string;
};
for (const [file, from] of [
  ["github", "api.github.com"],
  ["github-enterprise", "ghes-3.17"],
] as const) {
  const description = JSON.parse(
    readFileSync(path.join(octokit, "generated", `${from}.json`), "utf8"),
  ) as Node;
  put(
    file,
    `${from}.json of the npm package @octokit/openapi ${version}`,
    extract(description, githubOperations),
  );
}

const giteaFolder = downloadGoModule(giteaModule);
const template = readFileSync(path.join(giteaFolder, "templates/swagger/v1_json.tmpl"), "utf8");
const swagger = JSON.parse(template.replace(/\{\{[^}]*\}\}/g, "")) as Node;
put(
  "gitea",
  `templates/swagger/v1_json.tmpl of the Go module ${giteaModule.module.replace("@", " ")}`,
  extract(swagger, giteaOperations),
);

function put(name: string, source: string, description: Node): void {
  const file = path.join(folder, `${name}.json`);
  const text = `${JSON.stringify({ source, licence: "MIT", ...description })}\n`;
  if (!values.check) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) {
    console.error(`${file} is out of date. Run the script without --check.`);
    process.exitCode = 1;
  }
}

/** Returns the selected operations and the schemas that they refer to, without descriptions. */
function extract(description: Node, wanted: readonly string[]): Node {
  const schemas = new Map<string, Json>();
  const take = (schema: Json): Json => {
    const plain = replaceNullable(stripDescriptions(schema));
    for (const reference of listReferences(plain)) {
      if (schemas.has(reference)) continue;
      schemas.set(reference, true);
      schemas.set(reference, take(follow(description, reference)));
    }
    return plain;
  };
  const operations = Object.fromEntries(
    wanted.map((operation) => {
      const [method = "", where = ""] = operation.split(" ");
      const paths = description.paths as Node;
      const declared = (paths[where] as Node | undefined)?.[method.toLowerCase()] as Node | undefined;
      if (!declared) throw new Error(`The description has no operation ${operation}.`);
      return [operation, convertOperation(description, declared, take)];
    }),
  );
  const sorted = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1));
  return { operations, ...nest(sorted) };
}

function convertOperation(description: Node, declared: Node, take: (schema: Json) => Json): Node {
  const parameters = ((declared.parameters ?? []) as readonly Node[]).map((one) => resolve(description, one));
  const query = parameters.filter((one) => one.in === "query");
  const inBody = parameters.find((one) => one.in === "body");
  const body = inBody?.schema ?? findJson(resolve(description, (declared.requestBody ?? {}) as Node));
  const responses = Object.entries(declared.responses as Node).flatMap(([status, response]) => {
    const whole = resolve(description, response as Node);
    const schema = whole.schema ?? findJson(whole);
    return /^2/.test(status) ? [[status, schema === undefined ? null : take(schema)] as const] : [];
  });
  return {
    query: Object.fromEntries(query.map((one) => [one.name as string, take(one.schema ?? readType(one))])),
    body: body === undefined ? null : take(body),
    responses: Object.fromEntries(responses),
  };
}

function findJson({ content }: Node): Json | undefined {
  return ((content as Node | undefined)?.["application/json"] as Node | undefined)?.schema;
}

/** Returns the type of a parameter. Swagger 2 writes the type next to the name instead of in a schema. */
function readType({ type, enum: values, items }: Node): Node {
  return { ...(type ? { type } : {}), ...(values ? { enum: values } : {}), ...(items ? { items } : {}) };
}

function resolve(description: Node, node: Node): Node {
  return typeof node.$ref === "string" ? resolve(description, follow(description, node.$ref) as Node) : node;
}

function follow(description: Node, reference: string): Json {
  const keys = reference.slice(2).split("/");
  return keys.reduce<Json>((node, key) => (node as Node)[key] ?? null, description);
}

function listReferences(schema: Json): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  if (!Array.isArray(schema) && typeof (schema as Node).$ref === "string")
    return [(schema as Node).$ref as string];
  return Object.values(schema).flatMap(listReferences);
}

function stripDescriptions(schema: Json, isNamed = false): Json {
  if (Array.isArray(schema)) return schema.map((one) => stripDescriptions(one));
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema as Node).filter(
    ([key]) => isNamed || !(wordsForReaders.has(key) || key.startsWith("x-")),
  );
  return Object.fromEntries(
    kept.map(([key, value]) => [key, stripDescriptions(value, key === "properties" && !isNamed)]),
  );
}

/** Replaces `nullable` of OpenAPI 3.0 with the null type of JSON Schema. */
function replaceNullable(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(replaceNullable);
  if (typeof schema !== "object" || schema === null) return schema;
  const { nullable: isNullable, ...rest } = schema as Node;
  const plain = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, replaceNullable(value)]));
  return isNullable === true ? { anyOf: [plain, { type: "null" }] } : plain;
}

/** Nests values by path, so that `$ref`s resolve. */
function nest(values: readonly (readonly [string, Json])[]): Node {
  const root: Record<string, unknown> = {};
  for (const [reference, value] of values) {
    const keys = reference.slice(2).split("/");
    const last = keys.pop() ?? "";
    let node = root;
    for (const key of keys) {
      node[key] ??= {};
      node = node[key] as Record<string, unknown>;
    }
    node[last] = value;
  }
  return root as Node;
}
