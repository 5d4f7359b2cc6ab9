import {
  describeVersionField,
  emptyValue,
  type Field,
  findReferencedKind,
  hasStock,
  ignoreChangesDescription,
  isRemovable,
  isScalar,
  isSupersededOnChange,
  type Kind,
  kinds,
  listPresetReferences,
  listReadableFields,
  type ObjectField,
  onRemovalDescription,
  onRotationDescription,
  type PresetField,
  type PresetFields,
  type PresetGroup,
  preset,
  protectDescription,
  removalPolicies,
  rotationPolicies,
  type StringField,
  toPresetKey,
  toVersionField,
  withEveryField,
  writeOnlyFields,
} from "../../src/core/kinds/index.js";
import { toCamelCase } from "../../src/core/manifest/index.js";
import { doc, header, noun, pascalCase, union, withArticle } from "./words.js";

/*
 * Generates the constructs of `avatarops.config.ts`: a class for each kind and one for presets, with property types
 * from the descriptors.
 */

/** Returns the construct files by path. */
export function constructFiles(): Record<string, string> {
  return {
    ...Object.fromEntries(
      kinds.map((kind) => [constructFile(kind), generateConstruct(withEveryField(kind))]),
    ),
    "src/core/constructs/generated/preset.ts": presetConstruct(),
    "src/core/constructs/generated/differences.ts": differences(),
  };
}

/** Returns the exports of the module and the library, as names by source file. */
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
  return [`${className}Props`, ...listObjects(className, fields).map(({ owner }) => `${owner}Props`)];
}

/** An object in a field, with its type name and its description. */
interface NamedParts extends Pick<ObjectField, "parts"> {
  readonly owner: string;
  readonly what: string;
}

/** Finds the object in a field or list. It is named after a list entry or after its field. */
function findObject(owner: string, name: string, field: Field): NamedParts | undefined {
  if (field.type === "object") {
    const what = `The parts of \`${toCamelCase(name)}\`.`;
    return { owner: `${owner}${pascalCase(name)}`, what, parts: field.parts };
  }
  if (field.type !== "list" || field.item.type !== "object") return undefined;
  const what = `An entry of \`${toCamelCase(name)}\`.`;
  return { owner: pascalCase(field.entry.replaceAll(" ", "_")), what, parts: field.item.parts };
}

function listObjects(owner: string, fields: Readonly<Record<string, Field>>): NamedParts[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const found = findObject(owner, name, field);
    return found ? [found, ...listObjects(found.owner, found.parts)] : [];
  });
}

/** Generates the file of one kind. */
function generateConstruct(kind: Kind): string {
  const { className, collection, description, fields } = kind;
  const stock = hasStock(kind) ? `, or \`stock${className}("…")\`` : "";
  const id = `${doc(`Id of the object in the account, a UUID${stock}.`, "  ")}  readonly id: string;\n`;
  const protect = line("protect", `${protectDescription} Default: false.`, "boolean", false);
  const compared = listReadableFields(kind).map(([name]) => toCamelCase(name));
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
  const onRotation = isSupersededOnChange(kind)
    ? line(
        "on_rotation",
        `${onRotationDescription} Default: keep_old.`,
        union([...rotationPolicies], false),
        false,
      )
    : "";
  const properties = Object.entries(fields).map(([name, field]) => property(className, name, field));
  const versions = writeOnlyFields(kind).map((name) =>
    line(toVersionField(name), inCode(describeVersionField(name)), "number | string", false),
  );
  const entries = listObjects(className, fields).map(partsInterface);
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

/** Converts field names in a description to their spelling in code. */
function inCode(description: string): string {
  return description.replace(/`([a-z_]+)`/g, (_, name: string) => `\`${toCamelCase(name)}\``);
}

function property(owner: string, name: string, field: Field): string {
  const unset = field.required ? "" : " Default: it is not managed.";
  return line(name, describe(field) + unset, typeOf(owner, name, field), field.required === true);
}

function line(name: string, description: string, type: string, isRequired: boolean): string {
  const mark = isRequired ? "" : "?";
  const more = isRequired ? "" : " | undefined";
  return `${doc(description, "  ")}  readonly ${toCamelCase(name)}${mark}: ${type}${more};\n`;
}

/** Describes a field for code, where sources are functions and placeholders look like template literals. */
function describe(field: Field): string {
  const text = field.description.replace(/`!(env|file|exec)`/g, "`$1`");
  const placeholder = text.includes("${") ? " Keep it out of template literals." : "";
  const setting = field.type === "string" && field.valuesFrom?.name;
  return text + placeholder + (setting ? ` More are named in \`service.${toCamelCase(setting)}\`.` : "");
}

function typeOf(owner: string, name: string, field: Field): string {
  const object = findObject(owner, name, field);
  if (object) return field.type === "list" ? `readonly ${object.owner}Props[]` : `${object.owner}Props`;
  if (field.type === "list") return `readonly (${typeOf(owner, name, field.item)})[]`;
  // Refers to a class by its `kind`, because two classes that refer to each other would import each other.
  if (field.type === "reference") return `ConstructOf<${JSON.stringify(field.kind)}> | string`;
  if (isScalar(field)) return field.type;
  const { writeOnly, values, valuesFrom } = field as StringField;
  return writeOnly ? "ValueSource" : values ? union(values, valuesFrom !== undefined) : "Text";
}

function partsInterface({ owner, what, parts }: NamedParts): string {
  const lines = Object.entries(parts).map(([name, part]) => {
    const unset = part.required ? "" : ` Default: ${JSON.stringify(emptyValue(part))}.`;
    return line(name, describe(part) + unset, typeOf(owner, name, part), part.required === true);
  });
  return `${doc(what)}export interface ${owner}Props {\n${lines.join("")}}\n`;
}

function presetConstruct(): string {
  const { className, collection, description } = preset;
  const kindsInUse = [...new Set(listPresetReferences().map(({ kind }) => kind))];
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
      (group) => `\n${groupInterface(group.className, group.description, group.parts)}`,
    ),
    `\n${classText(className, "preset", collection, description)}`,
  ].join("");
}

function groupsIn(fields: PresetFields): PresetGroup[] {
  return Object.values(fields).flatMap((field) =>
    field.type === "object" ? [field, ...groupsIn(field.parts)] : [],
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
    const kind = findReferencedKind(field);
    const instead = `Id of ${withArticle(noun(kind))} that is not declared here; replaces \`${toCamelCase(kind.name)}\`.`;
    const what = `The ${noun(kind)}: the construct, or its logical name.`;
    return line(kind.name, what, `${kind.className} | string`, false) + line(name, instead, "string", false);
  }
  return line(toPresetKey(name, field), field.description, presetTypeOf(field), false);
}

function presetTypeOf(field: Exclude<PresetField, { type: "reference" }>): string {
  if (field.type === "object") return field.className;
  if (field.type === "map") return "Readonly<Record<string, string | ValueSource>>";
  if (field.type !== "string") return field.type;
  return field.writeOnly ? "ValueSource" : field.suggested ? union(field.suggested, true) : "string";
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
      `${doc(`${title} that differ, by logical name.`, "  ")}  readonly ${toCamelCase(collection)}?: Differences<${className}Props> | undefined;\n`,
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
