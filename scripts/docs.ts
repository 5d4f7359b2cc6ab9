/**
 * Writes the generated parts of the documentation from tables in the code (commands, kinds, settings), the README
 * picture of a plan, and the editor schema. With `--check`, it writes nothing and fails if a file is out of date.
 */
import { readdirSync, readFileSync } from "node:fs";
import { toSnakeCase } from "../src/base/text/index.js";
import {
  actionFacts,
  actionNames,
  describeVersionField,
  type Field,
  hasStock,
  ignoreChangesDescription,
  isManageable,
  isRemovable,
  isScalar,
  isSupersededOnChange,
  type Kind,
  kinds,
  listWriteOnlyFields,
  onRemovalDescription,
  onRotationDescription,
  profileNames,
  protectDescription,
  removalPolicies,
  rotationPolicies,
  type ScalarField,
  type StringField,
  toVersionField,
  withEveryField,
  withProfile,
} from "../src/core/kinds/index.js";
import { createManifestSchema } from "../src/core/manifest/index.js";
import { listFields, loadKind, sourceNames } from "../src/core/secrets/index.js";
import { decisions, exitCodeMeanings } from "../src/entrypoints/cli/exit-code.js";
import { createProvider } from "../src/entrypoints/terraform/index.js";
import { documentNames, getSchemaFile, loadDocumentSchema } from "../src/output/documents/index.js";
import { renderJson } from "../src/output/render/index.js";
import { renderCommandSections, renderCommandsIndex, renderSharedOptions } from "./docs/commands.js";
import { listDocumentRows, listValueRows } from "./docs/document-table.js";
import { drawPlan } from "./docs/plan-picture.js";
import { formatCode, renderTable } from "./docs/table.js";
import { listOffers, renderPages } from "./docs/terraform.js";
import { keepFile } from "./generate/keep-files.js";
import { readOptions } from "./options.js";

readOptions("npm run docs -- [--check]", { options: { check: { type: "boolean" } } });

// The version does not affect the schema.
const provider = createProvider({ version: "0.0.0", environment: {} });
const planSchema = await loadDocumentSchema("plan");
const sourceKinds = (await Promise.all(sourceNames.map(loadKind))).filter((kind) => kind !== undefined);

const tables: Readonly<Record<string, () => string>> = {
  powers: renderPowersTable,
  actions: renderActionsTable,
  commands: renderCommandsIndex,
  "shared options": renderSharedOptions,
  "command sections": renderCommandSections,
  "exit codes": renderExitCodesTable,
  decisions: renderDecisionsTable,
  fields: renderFieldsTable,
  settings: renderSettingsTable,
  sources: renderSourcesTable,
  "source fields": renderSourceFieldsTable,
  terraform: () => renderTable(["name", "what", ""], listOffers(provider)),
  plan: () => renderTable(["key", "there", "description", "values"], listDocumentRows(planSchema)),
  reasons: () => renderTable(["reason", "meaning"], listValueRows(planSchema, "Change", "reason")),
};
const filled = new Set<string>();
for (const file of readdirSync("docs"))
  if (file.endsWith(".md") && file !== "index.md")
    await keepDocs(`docs/${file}`, fillTables(readFileSync(`docs/${file}`, "utf8")));
const unused = Object.keys(tables).filter((name) => !filled.has(name));
if (unused.length > 0) throw new Error(`No page in docs/ has a marker for: ${unused.join(", ")}.`);
await keepDocs("docs/images/plan.svg", await drawPlan());
await keepDocs("avatarops.schema.json", renderJson(createManifestSchema()));
for (const name of documentNames)
  await keepDocs(getSchemaFile(name), renderJson(await loadDocumentSchema(name)));
const pages = renderPages(provider);
for (const file of new Set([...Object.keys(pages), ...listPages()])) await keepDocs(file, pages[file]);

function keepDocs(file: string, text: string | undefined): Promise<void> {
  return keepFile(file, text, "npm run docs");
}

/** Lists the provider's pages in the folders that the registry expects. Guides and other pages are handwritten. */
function listPages(): string[] {
  const folders = ["resources", "data-sources", "list-resources", "actions"];
  return folders.flatMap((folder) => readdirSync(`docs/${folder}`).map((file) => `docs/${folder}/${file}`));
}

/** Regenerates every part between `<!-- generated: name -->` and `<!-- /generated -->`. */
function fillTables(text: string): string {
  return text.replace(
    /(<!-- generated: ([\w ]+) -->\n).*?(<!-- \/generated -->)/gs,
    (_, begin: string, name: string, end: string) => {
      const table = tables[name];
      if (!table) throw new Error(`A page has a marker for "${name}", which is not a generated part.`);
      filled.add(name);
      return `${begin}\n${table()}\n\n${end}`;
    },
  );
}

/** Returns a table of the secret sources, with the permission that each job needs. */
function renderSourcesTable(): string {
  return renderTable(
    ["tag", "source", "package", "right to the version (plan job)", "right to the value (apply job)"],
    sourceKinds.map(({ name, title, packages = [], rights }) => [
      formatCode(`!${name}`),
      title,
      packages.map(formatCode).join(", "),
      rights.version ?? "–",
      rights.value,
    ]),
  );
}

/** Returns a table of the fields of each secret source, as spelled in YAML. */
function renderSourceFieldsTable(): string {
  return renderTable(
    ["tag", "field", "required", "default", "description"],
    sourceKinds.flatMap((kind) =>
      [...listFields(kind)].map(([name, { required, variable, values, description }]) => [
        formatCode(`!${kind.name}`),
        formatCode(toSnakeCase(name)),
        required ? "yes" : "",
        variable === undefined ? "" : `variable ${formatCode(variable)}`,
        values ? `${description} One of ${values.map(formatCode).join(", ")}.` : description,
      ]),
    ),
  );
}

/**
 * Returns a table of the operations that each kind supports, with a column for each profile's additional
 * operations.
 */
function renderPowersTable(): string {
  const identity = { adopted: "id in the file", created: "assigned by the service" };
  return renderTable(
    [
      "kind",
      "identity",
      "in the document",
      ...profileNames.map((profile) => `${formatCode(profile)} adds`),
      "when it leaves the files",
    ],
    kinds.map((kind) => [
      kind.collection,
      identity[kind.identity],
      listPowers(kind),
      ...profileNames.map((profile) => listPowers(withProfile(kind, profile), kind)),
      (isManageable(kind) ? kind : withProfile(kind, profileNames[0])).afterForget,
    ]),
  );
}

/** Returns the operations that `kind` supports and `before` does not. */
function listPowers(kind: Kind, before?: Kind): string {
  const { list } = kind;
  const fields = Object.keys(kind.fields).filter((name) => !(before?.update && before.fields[name]));
  const found = [
    list &&
      list.endpoint !== before?.list?.endpoint &&
      `found in the list of ${list.endpoint}${list.exhaustive ? "" : ", partly"}`,
    ...(["read", "create"] as const).map((power) => kind[power] && !before?.[power] && power),
    kind.update && fields.length > 0 && `update of ${fields.map(formatCode).join(", ")}`,
    kind.remove && !before?.remove && "delete",
  ].filter((power) => typeof power === "string");
  return found.length > 0 ? found.join("; ") : "–";
}

/** Returns a table of the actions, in the order in which a plan lists them. */
function renderActionsTable(): string {
  return renderTable(
    ["action", "what it does"],
    actionNames.map((action) => [formatCode(action), actionFacts[action].description]),
  );
}

function renderExitCodesTable(): string {
  return renderTable(
    ["code", "meaning"],
    exitCodeMeanings.map(([exit, meaning]) => [String(exit), meaning]),
  );
}

function renderDecisionsTable(): string {
  return renderTable(
    ["error", "reason", "decision"],
    Object.entries(decisions).map(([error, texts]) => [formatCode(error), ...texts]),
  );
}

function renderFieldsTable(): string {
  return renderTable(
    ["field", "required", "limits", "description"],
    kinds
      .map(withEveryField)
      .flatMap((kind) => [
        ...(kind.identity === "adopted"
          ? [
              [
                formatCode(`${kind.collection}.*.id`),
                "yes",
                hasStock(kind) ? `UUID, or ${formatCode(`!stock_${kind.name} NAME`)}` : "UUID",
                "Id of the object in the account.",
              ],
            ]
          : []),
        ...Object.entries(kind.fields).flatMap(([name, field]) =>
          listFieldRows(`${kind.collection}.*.${name}`, field),
        ),
        ...listWriteOnlyFields(kind).map((name) => [
          formatCode(`${kind.collection}.*.${toVersionField(name)}`),
          "",
          "a whole number or a text",
          describeVersionField(name),
        ]),
        [formatCode(`${kind.collection}.*.protect`), "", "true or false", protectDescription],
        [formatCode(`${kind.collection}.*.ignore_changes`), "", "a list of fields", ignoreChangesDescription],
        ...(isRemovable(kind)
          ? [
              [
                formatCode(`${kind.collection}.*.on_removal`),
                "",
                removalPolicies.map(formatCode).join(" or "),
                onRemovalDescription,
              ],
            ]
          : []),
        ...(isSupersededOnChange(kind)
          ? [
              [
                formatCode(`${kind.collection}.*.on_rotation`),
                "",
                rotationPolicies.map(formatCode).join(" or "),
                onRotationDescription,
              ],
            ]
          : []),
      ]),
  );
}

function listFieldRows(name: string, field: Field): string[][] {
  const row = [formatCode(name), field.required ? "yes" : "", describeLimits(field), field.description];
  const [object, at] = field.type === "list" ? [field.item, `${name}[]`] : [field, name];
  if (object.type !== "object") return [row];
  return [row, ...Object.entries(object.parts).flatMap(([key, part]) => listFieldRows(`${at}.${key}`, part))];
}

function describeLimits(field: Field): string {
  if (field.type === "object") return "a mapping";
  if (field.type === "list") return field.item.type === "object" ? "a list" : `a list of ${field.entry}s`;
  if (field.type === "reference") return `the name of a ${field.kind}`;
  if (isScalar(field)) return describeScalarLimits(field);
  const { minLength, maxLength, warnAbove, format, values, valuesFrom, writeOnly } = field as StringField;
  const more = valuesFrom ? `, or one of ${formatCode(`service.${valuesFrom.name}`)}` : "";
  return [
    ...(maxLength === undefined ? [] : [`${minLength ?? 0} to ${maxLength} characters`]),
    ...(maxLength === undefined && minLength && !values ? ["not empty"] : []),
    ...(warnAbove === undefined ? [] : [`a warning above ${warnAbove.toLocaleString("en")} characters`]),
    ...(format === "url" ? ["a web address"] : []),
    ...(values ? [`${values.map(formatCode).join(", ")}${more}`] : []),
    ...(writeOnly ? ["from a source tag only"] : []),
  ].join("; ");
}

function describeScalarLimits({ type, whole, minimum, maximum, default: preset }: ScalarField): string {
  const [least, most] = [
    minimum === undefined ? "" : `at least ${minimum}`,
    maximum === undefined ? "" : `at most ${maximum}`,
  ];
  const what = type === "boolean" ? "true or false" : whole ? "a whole number" : "a number";
  return [what, least, most, preset === undefined ? "" : `default ${preset}`].filter(Boolean).join(", ");
}

/** Returns a table of the settings. The kinds have their own table. */
function renderSettingsTable(): string {
  const collections = new Set([...kinds.map((kind) => kind.collection)]);
  const { properties = {} } = createManifestSchema() as { properties?: Properties };
  const rows = Object.entries(properties)
    .filter(([name]) => !collections.has(name))
    .flatMap(([name, schema]) => [
      [formatCode(name), schema.description ?? ""],
      ...Object.entries(
        ["service", "thresholds", "on_removal", "policies"].includes(name) ? (schema.properties ?? {}) : {},
      ).map(([key, inner]) => [formatCode(`${name}.${key}`), inner.description ?? ""]),
    ]);
  return renderTable(["setting", "description"], rows);
}

interface Properties {
  readonly [name: string]: { readonly description?: string; readonly properties?: Properties };
}
