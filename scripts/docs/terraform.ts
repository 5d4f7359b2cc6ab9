import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Attribute, Attributes, Provider, Type } from "@avatarops/terraform-plugin";
import { fence } from "./table.js";

/*
 * Generates the provider's pages in the registry's layout, from the schema and the snippets in examples/. Each page has
 * the headings that other providers use, in the order example, schema, import.
 */

const snippets = "examples/terraform/snippets";

/** Returns all pages of a provider, by path. */
export function renderPages<Client>(provider: Provider<Client>): Readonly<Record<string, string>> {
  const pages: Record<string, string> = {
    "docs/index.md": renderPage({
      title: `${provider.name} Provider`,
      heading: `${provider.name} Provider`,
      description: provider.description,
      example: readSnippet("provider.tf"),
      rest: [renderSchema(provider.attributes)],
      isIndex: true,
    }),
  };
  for (const [folder, title, definitions, file] of [
    ["resources", "Resource", provider.resources, "resource.tf"],
    ["data-sources", "Data Source", provider.dataSources, "data-source.tf"],
    ["actions", "Action", provider.actions, "action.tf"],
  ] as const) {
    for (const [type, { description, attributes }] of Object.entries(definitions)) {
      pages[`docs/${folder}/${removePrefix(type)}.md`] = renderPage({
        title: `${type} ${title} - ${provider.name}`,
        heading: `${type} (${title})`,
        description,
        example: readSnippet(folder, type, file),
        rest: [renderSchema(attributes), ...(folder === "resources" ? [renderImport(type)] : [])],
      });
    }
  }
  for (const [type, { description }] of Object.entries(provider.listResources)) {
    pages[`docs/list-resources/${removePrefix(type)}.md`] = renderPage({
      title: `${type} List Resource - ${provider.name}`,
      heading: `${type} (List Resource)`,
      description,
      example: renderListBlock(type),
      rest: [],
    });
  }
  return pages;
}

/** Returns table rows for a page in `docs/`: name, type, and the first sentence of the description. */
export function listOffers<Client>(provider: Provider<Client>): string[][] {
  const rows = (what: string, definitions: { readonly [type: string]: { readonly description: string } }) =>
    Object.entries(definitions).map(([type, { description }]) => [
      `[\`${type}\`](${what.replace(" ", "-")}s/${removePrefix(type)}.md)`,
      what,
      takeFirstSentence(description),
    ]);
  return [
    ...rows("resource", provider.resources),
    ...rows("data source", provider.dataSources),
    ...rows("list resource", provider.listResources),
    ...rows("action", provider.actions),
  ];
}

interface Page {
  readonly title: string;
  readonly heading: string;
  readonly description: string;
  readonly example: string;
  readonly rest: readonly string[];
  /** Whether this is the provider's own page, which has no subcategory in the registry. */
  readonly isIndex?: true;
}

function renderPage({ title, heading, description, example, rest, isIndex }: Page): string {
  const sections = [
    `# ${heading}`,
    description.trim(),
    `## Example Usage\n\n${fence("terraform", example)}`,
    ...rest,
  ];
  return `---
page_title: ${JSON.stringify(title)}
${isIndex ? "" : 'subcategory: ""\n'}description: |-
  ${takeFirstSentence(description)}
---

${sections.join("\n\n")}
`;
}

/** Lists required, optional and read-only attributes, then nested ones, each with a link. */
function renderSchema(attributes: Attributes): string {
  const nested: string[] = [];
  return [`## Schema`, ...renderGroups(attributes, [], nested), ...nested].join("\n\n");
}

function renderGroups(attributes: Attributes, at: readonly string[], nested: string[]): string[] {
  const entries = Object.entries(attributes);
  return (
    [
      ["Required", ({ required }) => required === true],
      ["Optional", ({ optional }) => optional === true],
      ["Read-Only", ({ required, optional }) => !required && !optional],
    ] as const satisfies readonly (readonly [string, (attribute: Attribute) => boolean])[]
  ).flatMap(([title, belongs]) => {
    const lines = entries
      .filter(([, attribute]) => belongs(attribute))
      .map(([name, attribute]) => renderAttribute(name, attribute, [...at, name], nested));
    const level = at.length === 0 ? `### ${title}` : `${title}:`;
    return lines.length === 0 ? [] : [level, lines.join("\n")];
  });
}

function renderAttribute(
  name: string,
  attribute: Attribute,
  at: readonly string[],
  nested: string[],
): string {
  const facts = [
    describeType(attribute),
    ...(attribute.sensitive ? ["Sensitive"] : []),
    ...(attribute.writeOnly
      ? [
          "[Write-only](https://developer.hashicorp.com/terraform/language/resources/ephemeral#write-only-arguments)",
        ]
      : []),
  ];
  const text = `- \`${name}\` (${facts.join(", ")}) ${attribute.description}`;
  if (!("attributes" in attribute)) return text;
  const anchor = `nestedatt--${at.join("--")}`;
  const below: string[] = [];
  nested.push(
    [
      `<a id="${anchor}"></a>\n### Nested Schema for \`${at.join(".")}\``,
      ...renderGroups(attribute.attributes, at, below),
      ...below,
    ].join("\n\n"),
  );
  return `${text} (see [below for nested schema](#${anchor}))`;
}

const nestings = {
  single: "Attributes",
  list: "Attributes List",
};

function describeType(attribute: Attribute): string {
  return "attributes" in attribute ? nestings[attribute.nesting] : nameType(attribute.type);
}

function nameType(type: Type): string {
  if (typeof type === "string") {
    return { string: "String", number: "Number", bool: "Boolean" }[type];
  }
  const [made, inner] = type;
  if (made === "object") return "Object";
  return `${made[0]?.toUpperCase()}${made.slice(1)} of ${nameType(inner)}`;
}

function renderImport(type: string): string {
  const [block, line] = [
    readSnippet("resources", type, "import.tf"),
    readSnippet("resources", type, "import.sh"),
  ];
  return [
    "## Import",
    "With an [`import` block](https://developer.hashicorp.com/terraform/language/import):",
    fence("terraform", block),
    "From Terraform 1.12 and OpenTofu 1.12 on, also by its identity:",
    fence("terraform", block.replace(/^ +id = (".*")$/m, "  identity = {\n    id = $1\n  }")),
    "Or with the [command](https://developer.hashicorp.com/terraform/cli/commands/import):",
    fence("shell", line),
  ].join("\n\n");
}

/** Returns the block in `*.tfquery.hcl` for `terraform query`, which is the same for all kinds. */
function renderListBlock(type: string): string {
  return `list "${type}" "all" {\n  provider = ${type.split("_")[0]}\n  limit    = 1000\n}`;
}

function readSnippet(...at: string[]): string {
  const file = path.posix.join(snippets, ...at);
  if (!existsSync(file)) throw new Error(`The example ${file} is missing.`);
  return readFileSync(file, "utf8");
}

function takeFirstSentence(text: string): string {
  return (/^.*?[.!?](?=\s|$)/s.exec(text.trim())?.[0] ?? text.trim()).replace(/\s+/g, " ");
}

/** Removes the provider's name from a type, as the registry's pages do. */
function removePrefix(type: string): string {
  return type.slice(type.indexOf("_") + 1);
}
