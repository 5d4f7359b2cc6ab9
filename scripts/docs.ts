/**
 * Writes the generated parts of the documentation from tables in the code (commands, kinds, settings), the README
 * picture of a plan, and the editor schema. With `--check`, it writes nothing and fails if a file is out of date.
 */
import { existsSync, readdirSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
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
  writeOnlyFields,
} from "../src/core/kinds/index.js";
import { createManifestSchema } from "../src/core/manifest/index.js";
import { listFields, loadKind, sourceNames } from "../src/core/secrets/index.js";
import { decisions, exitCodeMeanings } from "../src/entrypoints/cli/exit-code.js";
import { createProvider } from "../src/entrypoints/terraform/index.js";
import { documentNames, getSchemaFile, loadDocumentSchema } from "../src/output/documents/index.js";
import { renderJson } from "../src/output/render/index.js";
import { commandSections, commandsIndex, sharedOptionsTable } from "./docs/commands.js";
import { documentRows, valueRows } from "./docs/document-table.js";
import { planPicture } from "./docs/plan-picture.js";
import { code, tableOf } from "./docs/table.js";
import { offersOf, pagesOf } from "./docs/terraform.js";

const isCheck = process.argv.includes("--check");
// The schema does not depend on other generated files.
const provider = createProvider({ version: "0.0.0", environment: {} });
const planSchema = await loadDocumentSchema("plan");
const sourceKinds = (await Promise.all(sourceNames.map(loadKind))).filter((kind) => kind !== undefined);

const tables: Readonly<Record<string, () => string>> = {
  powers: powersTable,
  actions: actionsTable,
  commands: commandsIndex,
  "shared options": sharedOptionsTable,
  "command sections": commandSections,
  "exit codes": exitCodesTable,
  decisions: decisionsTable,
  fields: fieldsTable,
  settings: settingsTable,
  sources: sourcesTable,
  "source fields": sourceFieldsTable,
  terraform: () => tableOf(["name", "what", ""], offersOf(provider)),
  plan: () => tableOf(["key", "there", "description", "values"], documentRows(planSchema)),
  reasons: () => tableOf(["reason", "meaning"], valueRows(planSchema, "Change", "reason")),
};
const placed = new Set<string>();
for (const file of readdirSync("docs"))
  if (file.endsWith(".md") && file !== "index.md") await keepFresh(`docs/${file}`, withTables);
const unplaced = Object.keys(tables).filter((name) => !placed.has(name));
if (unplaced.length > 0) throw new Error(`No page in docs/ has a marker for: ${unplaced.join(", ")}.`);
const picture = await planPicture();
await keepFresh("docs/images/plan.svg", () => picture);
await keepFresh("avatarops.schema.json", () => renderJson(createManifestSchema()));
for (const name of documentNames) {
  const schema = renderJson(await loadDocumentSchema(name));
  await keepFresh(getSchemaFile(name), () => schema);
}
const pages = pagesOf(provider);
for (const [file, text] of Object.entries(pages)) await keepFresh(file, () => text);
for (const file of pagesThere()) if (!(file in pages)) await keepFresh(file, () => undefined);

/** Writes a file, or removes it if the new text is undefined. */
async function keepFresh(file: string, renew: (text: string) => string | undefined): Promise<void> {
  const text = existsSync(file) ? await readFile(file, "utf8") : "";
  const fresh = renew(text);
  if (text === fresh) return;
  if (isCheck) {
    console.error(`${file} is out of date. Run "npm run docs" and commit the result.`);
    process.exitCode = 1;
    return;
  }
  if (fresh === undefined) {
    await rm(file);
    console.log(`Removed ${file}.`);
    return;
  }
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, fresh);
  console.log(`Wrote ${file}.`);
}

/** Lists the provider's pages, in the folders that the registry expects. Guides and other pages are handwritten. */
function pagesThere(): string[] {
  const folders = ["resources", "data-sources", "list-resources", "actions"];
  return folders.flatMap((folder) => readdirSync(`docs/${folder}`).map((file) => `docs/${folder}/${file}`));
}

/** Regenerates every part between `<!-- generated: name -->` and `<!-- /generated -->`. */
function withTables(text: string): string {
  return text.replace(
    /(<!-- generated: ([\w ]+) -->\n).*?(<!-- \/generated -->)/gs,
    (_, begin: string, name: string, end: string) => {
      const table = tables[name];
      if (!table) throw new Error(`A page has a marker for "${name}", which is not a generated part.`);
      placed.add(name);
      return `${begin}\n${table()}\n\n${end}`;
    },
  );
}

/** Returns a table of the secret sources, with the permission that each job needs. */
function sourcesTable(): string {
  return tableOf(
    ["tag", "source", "package", "right to the version (plan job)", "right to the value (apply job)"],
    sourceKinds.map(({ name, title, packages = [], rights }) => [
      code(`!${name}`),
      title,
      packages.map(code).join(", "),
      rights.version ?? "–",
      rights.value,
    ]),
  );
}

/** Returns a table of the fields of each secret source, as spelled in YAML. */
function sourceFieldsTable(): string {
  return tableOf(
    ["tag", "field", "required", "default", "description"],
    sourceKinds.flatMap((kind) =>
      [...listFields(kind)].map(([name, { required, variable, values, description }]) => [
        code(`!${kind.name}`),
        code(toSnakeCase(name)),
        required ? "yes" : "",
        variable === undefined ? "" : `variable ${code(variable)}`,
        values ? `${description} One of ${values.map(code).join(", ")}.` : description,
      ]),
    ),
  );
}

/**
 * Returns a table of the operations on each kind. An operation exists if its function does. Each profile's column
 * lists the operations that it adds.
 */
function powersTable(): string {
  const identity = { adopted: "id in the file", created: "assigned by the service" };
  return tableOf(
    [
      "kind",
      "identity",
      "in the document",
      ...profileNames.map((profile) => `${code(profile)} adds`),
      "when it leaves the files",
    ],
    kinds.map((kind) => [
      kind.collection,
      identity[kind.identity],
      powers(kind),
      ...profileNames.map((profile) => powers(withProfile(kind, profile), kind)),
      (isManageable(kind) ? kind : withProfile(kind, profileNames[0])).afterForget,
    ]),
  );
}

/** Returns the operations on a kind that another kind lacks. */
function powers(kind: Kind, before?: Kind): string {
  const { list } = kind;
  const fields = Object.keys(kind.fields).filter((name) => !(before?.update && before.fields[name]));
  const found = [
    list &&
      list.endpoint !== before?.list?.endpoint &&
      `found in the list of ${list.endpoint}${list.exhaustive ? "" : ", partly"}`,
    ...(["read", "create"] as const).map((power) => kind[power] && !before?.[power] && power),
    kind.update && fields.length > 0 && `update of ${fields.map(code).join(", ")}`,
    kind.remove && !before?.remove && "delete",
  ].filter((power) => typeof power === "string");
  return found.length > 0 ? found.join("; ") : "–";
}

/** Returns a table of the actions, in the order of a plan. */
function actionsTable(): string {
  return tableOf(
    ["action", "what it does"],
    actionNames.map((action) => [code(action), actionFacts[action].description]),
  );
}

function exitCodesTable(): string {
  return tableOf(
    ["code", "meaning"],
    exitCodeMeanings.map(([exit, meaning]) => [String(exit), meaning]),
  );
}

function decisionsTable(): string {
  return tableOf(
    ["error", "reason", "decision"],
    Object.entries(decisions).map(([error, texts]) => [code(error), ...texts]),
  );
}

function fieldsTable(): string {
  return tableOf(
    ["field", "required", "limits", "description"],
    kinds
      .map(withEveryField)
      .flatMap((kind) => [
        ...(kind.identity === "adopted"
          ? [
              [
                code(`${kind.collection}.*.id`),
                "yes",
                hasStock(kind) ? `UUID, or ${code(`!stock_${kind.name} NAME`)}` : "UUID",
                "Id of the object in the account.",
              ],
            ]
          : []),
        ...Object.entries(kind.fields).flatMap(([name, field]) =>
          fieldRows(`${kind.collection}.*.${name}`, field),
        ),
        ...writeOnlyFields(kind).map((name) => [
          code(`${kind.collection}.*.${toVersionField(name)}`),
          "",
          "a whole number or a text",
          describeVersionField(name),
        ]),
        [code(`${kind.collection}.*.protect`), "", "true or false", protectDescription],
        [code(`${kind.collection}.*.ignore_changes`), "", "a list of fields", ignoreChangesDescription],
        ...(isRemovable(kind)
          ? [
              [
                code(`${kind.collection}.*.on_removal`),
                "",
                removalPolicies.map(code).join(" or "),
                onRemovalDescription,
              ],
            ]
          : []),
        ...(isSupersededOnChange(kind)
          ? [
              [
                code(`${kind.collection}.*.on_rotation`),
                "",
                rotationPolicies.map(code).join(" or "),
                onRotationDescription,
              ],
            ]
          : []),
      ]),
  );
}

function fieldRows(name: string, field: Field): string[][] {
  const row = [code(name), field.required ? "yes" : "", limitsOf(field), field.description];
  const [object, at] = field.type === "list" ? [field.item, `${name}[]`] : [field, name];
  if (object.type !== "object") return [row];
  return [row, ...Object.entries(object.parts).flatMap(([key, part]) => fieldRows(`${at}.${key}`, part))];
}

function limitsOf(field: Field): string {
  if (field.type === "object") return "a mapping";
  if (field.type === "list") return field.item.type === "object" ? "a list" : `a list of ${field.entry}s`;
  if (field.type === "reference") return `the name of a ${field.kind}`;
  if (isScalar(field)) return scalarLimits(field);
  const { minLength, maxLength, warnAbove, format, values, valuesFrom, writeOnly } = field as StringField;
  const more = valuesFrom ? `, or one of ${code(`service.${valuesFrom.name}`)}` : "";
  return [
    ...(maxLength === undefined ? [] : [`${minLength ?? 0} to ${maxLength} characters`]),
    ...(maxLength === undefined && minLength && !values ? ["not empty"] : []),
    ...(warnAbove === undefined ? [] : [`a warning above ${warnAbove.toLocaleString("en")} characters`]),
    ...(format === "url" ? ["a web address"] : []),
    ...(values ? [`${values.map(code).join(", ")}${more}`] : []),
    ...(writeOnly ? ["from a source tag only"] : []),
  ].join("; ");
}

function scalarLimits({ type, whole, minimum, maximum, default: preset }: ScalarField): string {
  const [least, most] = [
    minimum === undefined ? "" : `at least ${minimum}`,
    maximum === undefined ? "" : `at most ${maximum}`,
  ];
  const what = type === "boolean" ? "true or false" : whole ? "a whole number" : "a number";
  return [what, least, most, preset === undefined ? "" : `default ${preset}`].filter(Boolean).join(", ");
}

/** Returns a table of the settings. The kinds have their own table. */
function settingsTable(): string {
  const collections = new Set([...kinds.map((kind) => kind.collection)]);
  const { properties = {} } = createManifestSchema() as { properties?: Properties };
  const rows = Object.entries(properties)
    .filter(([name]) => !collections.has(name))
    .flatMap(([name, schema]) => [
      [code(name), schema.description ?? ""],
      ...Object.entries(
        ["service", "thresholds", "on_removal", "policies"].includes(name) ? (schema.properties ?? {}) : {},
      ).map(([key, inner]) => [code(`${name}.${key}`), inner.description ?? ""]),
    ]);
  return tableOf(["setting", "description"], rows);
}

interface Properties {
  readonly [name: string]: { readonly description?: string; readonly properties?: Properties };
}
