import {
  findKind,
  isFindable,
  isListable,
  isManageable,
  type Kind,
  kinds,
  listProfiles,
  listReadableFields,
  listReferenceFields,
  listWriteOnlyFields,
  type Value,
} from "../../src/core/kinds/index.js";
import { toAttributeName } from "../../src/entrypoints/terraform/values.js";

/*
 * Generates the examples for the Terraform provider's pages, one for each kind, as `terraform fmt` would format them.
 */

const folder = "examples/terraform/snippets";

/** Returns the files of all kinds by path. */
export function generateSnippetFiles(): Record<string, string> {
  return Object.assign({}, ...kinds.map(generateFiles));
}

function generateFiles(kind: Kind): Record<string, string> {
  const { name, collection, example } = kind;
  const address = `avatarops_${name}.${example.key}`;
  const resource = `${folder}/resources/avatarops_${name}`;
  const sources = `${folder}/data-sources`;
  return {
    [`${resource}/resource.tf`]: generateResource(kind),
    [`${resource}/import.tf`]: `import {\n  to = ${address}\n  id = ${JSON.stringify(example.id)}\n}\n`,
    [`${resource}/import.sh`]: `terraform import ${address} ${example.id}\n`,
    ...(isFindable(kind)
      ? {
          [`${sources}/avatarops_${name}/data-source.tf`]: generateDataSource(kind),
          [`${sources}/avatarops_${collection}/data-source.tf`]: generateListSource(kind),
        }
      : {}),
    ...(listProfiles(kind, ({ listStock }) => listStock).length > 0
      ? { [`${sources}/avatarops_stock_${name}/data-source.tf`]: generateStockSource(kind) }
      : {}),
  };
}

function generateResource(kind: Kind): string {
  const { name, title, identity, example } = kind;
  const variables = listWriteOnlyFields(kind).map((field) => [field, `${example.key}_${field}`] as const);
  const values = listReadableFields(kind).flatMap(([field]) => {
    const value = example.spec[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  const lines = [
    ...(identity === "adopted" ? [["id", quote(example.id)] as const] : []),
    ...values.flatMap(([field, value]) =>
      typeof value === "object" || String(value).includes("\n")
        ? []
        : [[toAttributeName(kind, field), formatExpression(kind, field, value)] as const],
    ),
    ...variables.map(([field, variable]) => [`${field}_wo`, `var.${variable}`] as const),
  ];
  const blocks = [
    alignLines(lines),
    ...values.flatMap(([field, value]) =>
      typeof value === "object"
        ? [`  ${field} = ${formatValue(value, "  ")}\n`]
        : String(value).includes("\n")
          ? [formatHeredoc(field, String(value))]
          : [],
    ),
  ];
  const adopted = `# ${title}s are created elsewhere. This resource adopts one by its id and manages it.\n`;
  return [
    ...listReferenceFields(kind).map(([, target]) => `${generateResource(findKind(target) as Kind)}\n`),
    ...variables.map(([, variable]) => generateVariable(variable)),
    identity === "adopted" ? adopted : "",
    isManageable(kind) ? "" : needsProfile,
    `resource "avatarops_${name}" "${example.key}" {\n${blocks.filter(Boolean).join("\n")}}\n`,
  ].join("");
}

const needsProfile = '# Needs `profile = "liveavatar"` in the provider block.\n';

function generateVariable(name: string): string {
  return `variable "${name}" {\n  type      = string\n  sensitive = true\n  ephemeral = true\n}\n\n`;
}

function alignLines(lines: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(0, ...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `  ${name.padEnd(width)} = ${value}\n`).join("");
}

function formatHeredoc(name: string, text: string): string {
  const lines = text.replace(/\n$/, "").split("\n");
  const placeholder = "  # The service fills in `$${…}`, which Terraform sends as `${…}`.\n";
  const body = lines.map((line) => (line === "" ? "\n" : `    ${escapeTemplate(line)}\n`)).join("");
  return `${text.includes("${") ? placeholder : ""}  ${name} = <<-EOT\n${body}  EOT\n`;
}

/** Formats a value. Each list entry gets its own line. */
function formatValue(value: Value, indent = ""): string {
  if (typeof value === "string") return quote(value);
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) {
    const lines = value.map((entry: Value) => `${indent}  ${formatValue(entry)},\n`);
    return `[\n${lines.join("")}${indent}]`;
  }
  const parts = Object.entries(value).map(([key, part]) => `${key} = ${formatValue(part)}`);
  return `{ ${parts.join(", ")} }`;
}

function generateDataSource(kind: Kind): string {
  const { name, label, example, markdownBody, computed } = kind;
  const shown = markdownBody ?? Object.keys(computed)[0] ?? label;
  const value = `data.avatarops_${name}.${example.key}.${shown}`;
  return `${isListable(kind) ? "" : needsProfile}data "avatarops_${name}" "${example.key}" {
  ${label} = ${quote(String(example.spec[label]))}
}

output "${example.key}_${shown}" {
  value = ${value}
}
`;
}

function generateStockSource({ name }: Kind): string {
  return `${needsProfile}data "avatarops_stock_${name}" "guide" {
  name = "Wayne"
}

output "stock_${name}_id" {
  value = data.avatarops_stock_${name}.guide.id
}
`;
}

function generateListSource(kind: Kind): string {
  const { name, collection, label } = kind;
  return `${isListable(kind) ? "" : needsProfile}data "avatarops_${collection}" "all" {}

output "${name}_${label}s" {
  value = { for ${name} in data.avatarops_${collection}.all.${collection} : ${name}.id => ${name}.${label} }
}
`;
}

/** Returns an expression for the id of a referenced object, or any other value unchanged. */
function formatExpression({ fields }: Kind, name: string, value: string | number | boolean): string {
  const field = fields[name];
  if (typeof value !== "string") return String(value);
  return field?.type === "reference" ? `avatarops_${field.kind}.${value}.id` : quote(value);
}

function quote(text: string): string {
  return JSON.stringify(escapeTemplate(text));
}

/** Escapes template syntax, because Terraform treats strings as templates. */
function escapeTemplate(text: string): string {
  return text.replace(/\$\{/g, "$$$${").replace(/%\{/g, "%%{");
}
