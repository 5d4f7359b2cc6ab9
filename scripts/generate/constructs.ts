import {
  type Field,
  hasStock,
  ignoreChangesDescription,
  isRemovable,
  isRotated,
  isScalar,
  type Kind,
  kinds,
  onRemovalDescription,
  onRotationDescription,
  type PresetField,
  type PresetFields,
  preset,
  presetKey,
  presetReferences,
  protectDescription,
  readableFields,
  removalPolicies,
  rotationPolicies,
  type StringField,
  versionDescription,
  versionField,
  withEveryField,
  writeOnlyFields,
} from "../../src/core/kinds/index.js";
import { camelCase } from "../../src/core/manifest/index.js";
import { doc, header, noun, pascalCase, union, withArticle } from "./words.js";

/*
 * Generates the constructs of `avatarops.config.ts`: a class for each kind and one for presets, with property
 * types from their descriptors.
 */

/** The files of constructs, by path. */
export function constructFiles(): Record<string, string> {
  return {
    ...Object.fromEntries(
      kinds.map((kind) => [constructFile(kind), generateConstruct(withEveryField(kind))]),
    ),
    "src/core/constructs/generated/preset.ts": presetConstruct(),
    "src/core/constructs/generated/differences.ts": differences(),
  };
}

/** What the room and the library export: names by source file. */
export function constructExports(): ReadonlyMap<string, readonly string[]> {
  return new Map<string, readonly string[]>([
    ...kinds.map(
      (kind) =>
        [`./generated/${fileName(kind)}.js`, [kind.className, ...interfacesOf(kind).map(asType)]] as const,
    ),
    [
      "./generated/preset.js",
      [preset.className, ...[`${preset.className}Props`, ...groupNames(preset.fields)].map(asType)],
    ],
    ["./generated/differences.js", [asType("Differences")]],
  ]);
}

function asType(name: string): string {
  return `type ${name}`;
}

function fileName({ name }: Kind): string {
  return name.replaceAll("_", "-");
}

function moduleOf(kind: Kind): string {
  return `./${fileName(kind)}.js`;
}

function constructFile(kind: Kind): string {
  return `src/core/constructs/generated/${fileName(kind)}.ts`;
}

function interfacesOf({ className, fields }: Kind): string[] {
  const entries = Object.values(fields).flatMap((field) => (field.type === "list" ? entryProps(field) : []));
  return [`${className}Props`, ...entries];
}

function entryProps({ entry }: Extract<Field, { type: "list" }>): string {
  return `${pascalCase(entry.replaceAll(" ", "_"))}Props`;
}

/** The file of one kind. */
function generateConstruct(kind: Kind): string {
  const { className, collection, description, fields } = kind;
  const stock = hasStock(kind) ? `, or \`stock${className}("…")\`` : "";
  const id = `${doc(`Id of the object in the account, a UUID${stock}.`, "  ")}  readonly id: string;\n`;
  const protect = line("protect", `${protectDescription} Default: false.`, "boolean", false);
  const compared = readableFields(kind).map(([name]) => camelCase(name));
  const ignoreChanges = line(
    "ignore_changes",
    `${ignoreChangesDescription} Default: none.`,
    `readonly (${union(compared, false)})[]`,
    false,
  );
  const onRemoval = isRemovable(kind)
    ? line(
        "on_removal",
        `${onRemovalDescription} Default: as the project says.`,
        union([...removalPolicies], false),
        false,
      )
    : "";
  const onRotation = isRotated(kind)
    ? line(
        "on_rotation",
        `${onRotationDescription} Default: keep_old.`,
        union([...rotationPolicies], false),
        false,
      )
    : "";
  const properties = Object.entries(fields).map(([name, field]) => property(name, field));
  const versions = writeOnlyFields(kind).map((name) =>
    line(versionField(name), inCode(versionDescription(name)), "number | string", false),
  );
  const entries = Object.entries(fields).flatMap(([name, field]) =>
    field.type === "list" ? entryInterface(name, field) : [],
  );
  const body = [
    doc(`Properties of ${withArticle(className)}.`),
    `export interface ${className}Props {\n${kind.identity === "adopted" ? id : ""}${properties.join("")}${versions.join("")}${protect}${ignoreChanges}${onRemoval}${onRotation}}\n`,
    ...entries.map((text) => `\n${text}`),
    "\n",
    classText(className, kind.name, collection, description),
  ].join("");
  const imports = [
    'import type { Construct } from "constructs";',
    ...(body.includes(": ValueSource") ? ['import type { ValueSource } from "../../secrets/index.js";'] : []),
    `import { ${body.includes("ConstructOf<") ? "type ConstructOf, " : ""}DeclaredConstruct } from "../declared.js";`,
    ...(/: Text\b/.test(body) ? ['import type { Text } from "../sources.js";'] : []),
  ];
  return `${header}${imports.join("\n")}\n\n${body}`;
}

function classText(className: string, name: string, collection: string, description: string): string {
  return `${doc(description)}export class ${className} extends DeclaredConstruct {
  /** Distinguishes it from constructs of other kinds. */
  readonly kind = ${JSON.stringify(name)};

  constructor(scope: Construct, id: string, props: ${className}Props) {
    super(${JSON.stringify(collection)}, scope, id, props);
  }
}
`;
}

/** A description with the spelling of its field in code. */
function inCode(description: string): string {
  return description.replace(/`([a-z_]+)`/g, (_, name: string) => `\`${camelCase(name)}\``);
}

function property(name: string, field: Field): string {
  const unset = field.required ? "" : " Default: it is not managed.";
  return line(name, describe(field) + unset, typeOf(field), field.required === true);
}

function line(name: string, description: string, type: string, isRequired: boolean): string {
  const mark = isRequired ? "" : "?";
  const more = isRequired ? "" : " | undefined";
  return `${doc(description, "  ")}  readonly ${camelCase(name)}${mark}: ${type}${more};\n`;
}

/** In the words of code: sources are functions there, and placeholders look like those of the language. */
function describe(field: Field): string {
  const text = field.description.replace(/`!(env|file|exec)`/g, "`$1`");
  const placeholder = text.includes("${") ? " Keep it out of template literals." : "";
  const setting = field.type === "string" && field.valuesFrom?.name;
  return text + placeholder + (setting ? ` More are named in \`service.${camelCase(setting)}\`.` : "");
}

function typeOf(field: Field): string {
  if (field.type === "list") return `readonly ${entryProps(field)}[]`;
  // By its `kind` and not its class: two classes that refer to each other would import each other.
  if (field.type === "reference") return `ConstructOf<${JSON.stringify(field.kind)}> | string`;
  if (isScalar(field)) return field.type;
  const { writeOnly, values, valuesFrom } = field;
  return writeOnly ? "ValueSource" : values ? union(values, valuesFrom !== undefined) : "Text";
}

function entryInterface(name: string, field: Extract<Field, { type: "list" }>): string {
  const lines = Object.entries(field.item).map(([key, part]: [string, StringField]) =>
    line(key, describe(part) + (part.required ? "" : ' Default: "".'), typeOf(part), part.required === true),
  );
  return `${doc(`An entry of \`${camelCase(name)}\`.`)}export interface ${entryProps(field)} {\n${lines.join("")}}\n`;
}

function presetConstruct(): string {
  const { className, collection, description } = preset;
  const kindsInUse = [...new Set(presetReferences().map(({ kind }) => kind))];
  const imports = [
    'import type { Construct } from "constructs";',
    'import { DeclaredConstruct } from "../declared.js";',
    ...kindsInUse.map((kind) => `import type { ${kind.className} } from "${moduleOf(kind)}";`),
    'import type { ValueSource } from "../../secrets/index.js";',
    'import type { ExtraValues } from "../sources.js";',
  ];
  const what = "The settings of a session (§4.5). The service chooses what is left out.";
  return [
    header,
    `${imports.join("\n")}\n\n`,
    groupInterface(`${className}Props`, what, preset.fields),
    ...groupsIn(preset.fields).map(
      (group) => `\n${groupInterface(group.className, group.description, group.fields)}`,
    ),
    `\n${classText(className, "preset", collection, description)}`,
  ].join("");
}

type Group = Extract<PresetField, { type: "group" }>;

function groupsIn(fields: PresetFields): Group[] {
  return Object.values(fields).flatMap((field) =>
    field.type === "group" ? [field, ...groupsIn(field.fields)] : [],
  );
}

function groupNames(fields: PresetFields): string[] {
  return groupsIn(fields).map(({ className }) => className);
}

function groupInterface(name: string, description: string, fields: PresetFields): string {
  const lines = Object.entries(fields).map(([key, field]) => presetLines(key, field));
  lines.push(line(preset.extra.key, preset.extra.description, "ExtraValues", false));
  return `${doc(description)}export interface ${name} {\n${lines.join("")}}\n`;
}

function presetLines(name: string, field: PresetField): string {
  if (field.type === "reference") {
    const { name: kindName, className } = field.kind;
    const instead = `Id of ${withArticle(noun(field.kind))} that is not declared here; replaces \`${camelCase(kindName)}\`.`;
    const what = `The ${noun(field.kind)}: the construct, or its logical name.`;
    return line(kindName, what, `${className} | string`, false) + line(name, instead, "string", false);
  }
  const types = {
    ...{ text: "string", id: "string", number: "number", count: "number", flag: "boolean" },
    ...{
      language: "string",
      texts: "Readonly<Record<string, string | ValueSource>>",
      credential: "ValueSource",
    },
  };
  const type =
    field.type === "group"
      ? field.className
      : field.suggested
        ? union(field.suggested, true)
        : types[field.type];
  return line(presetKey(name, field), field.description, type, false);
}

function differences(): string {
  const own = kinds.map(({ className, collection, title }) => ({
    className,
    collection,
    title: `${title}s`,
  }));
  const all = [...own, { ...preset, title: `${preset.className}s` }];
  const imports = [
    ...kinds.map((kind) => `import type { ${kind.className}Props } from "${moduleOf(kind)}";`),
    `import type { ${preset.className}Props } from "./preset.js";`,
  ];
  const lines = all.map(
    ({ className, collection, title }) =>
      `${doc(`${title} that differ, by logical name.`, "  ")}  readonly ${camelCase(collection)}?: Differences<${className}Props> | undefined;\n`,
  );
  return `${header}${imports.join("\n")}

/** What differs, by logical name. */
export type Differences<Props> = Readonly<
  Record<string, { readonly [Name in keyof Props]?: Props[Name] | undefined }>
>;

/** Objects that differ in an environment. */
export interface CollectionDifferences {
${lines.join("")}}
`;
}
