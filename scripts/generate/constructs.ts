import { addArticle } from "../../src/base/text/index.js";
import {
  describeVersionField,
  type Field,
  findReferencedKind,
  getEmptyValue,
  hasStock,
  ignoreChangesDescription,
  isRemovable,
  isScalar,
  isSupersededOnChange,
  type Kind,
  kinds,
  listPresetReferences,
  listReadableFields,
  listWriteOnlyFields,
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
} from "../../src/core/kinds/index.js";
import { toCamelCase } from "../../src/core/manifest/index.js";
import { formatDoc, formatUnion, header, toNoun, toPascalCase } from "./words.js";

/**
 * Generates the constructs for `avatarops.config.ts`: a class for each kind and one for presets, with
 * property types from the descriptors.
 */

/** Returns the construct files by path. */
export function generateConstructFiles(): Record<string, string> {
  return {
    ...Object.fromEntries(
      kinds.map((kind) => [nameConstructFile(kind), generateConstruct(withEveryField(kind))]),
    ),
    "src/core/constructs/generated/preset.ts": generatePresetConstruct(),
    "src/core/constructs/generated/differences.ts": generateDifferences(),
  };
}

/** Returns the exports of the module and the library, as names by source file. */
export function listConstructExports(): ReadonlyMap<string, readonly string[]> {
  return new Map<string, readonly string[]>([
    ...kinds.map(
      (kind) =>
        [
          `./generated/${makeFileName(kind)}.js`,
          [kind.className, ...listInterfaces(kind).map(toTypeName)],
        ] as const,
    ),
    [
      "./generated/preset.js",
      [preset.className, ...[`${preset.className}Props`, ...listGroupNames(preset.fields)].map(toTypeName)],
    ],
    ["./generated/differences.js", [toTypeName("Differences")]],
  ]);
}

function toTypeName(name: string): string {
  return `type ${name}`;
}

function makeFileName({ name }: Kind): string {
  return name.replaceAll("_", "-");
}

function findModule(kind: Kind): string {
  return `./${makeFileName(kind)}.js`;
}

function nameConstructFile(kind: Kind): string {
  return `src/core/constructs/generated/${makeFileName(kind)}.ts`;
}

function listInterfaces({ className, fields }: Kind): string[] {
  return [`${className}Props`, ...listObjects(className, fields).map(({ owner }) => `${owner}Props`)];
}

/** Parts of an object in a field, with the name and description of its type. */
interface NamedParts extends Pick<ObjectField, "parts"> {
  readonly owner: string;
  readonly what: string;
}

/** Finds the object in a field or list. Its name comes from the list entry or the field. */
function findObject(owner: string, name: string, field: Field): NamedParts | undefined {
  if (field.type === "object") {
    const what = `The parts of \`${toCamelCase(name)}\`.`;
    return { owner: `${owner}${toPascalCase(name)}`, what, parts: field.parts };
  }
  if (field.type !== "list" || field.item.type !== "object") return undefined;
  const what = `An entry of \`${toCamelCase(name)}\`.`;
  return { owner: toPascalCase(field.entry.replaceAll(" ", "_")), what, parts: field.item.parts };
}

function listObjects(owner: string, fields: Readonly<Record<string, Field>>): NamedParts[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const found = findObject(owner, name, field);
    return found ? [found, ...listObjects(found.owner, found.parts)] : [];
  });
}

function generateConstruct(kind: Kind): string {
  const { className, collection, description, fields } = kind;
  const stock = hasStock(kind) ? `, or \`stock${className}("…")\`` : "";
  const id = `${formatDoc(`Id of the object in the account, a UUID${stock}.`, "  ")}  readonly id: string;\n`;
  const protect = generateLine("protect", `${protectDescription} Default: false.`, "boolean", false);
  const compared = listReadableFields(kind).map(([name]) => toCamelCase(name));
  const ignoreChanges = generateLine(
    "ignore_changes",
    `${ignoreChangesDescription} Default: none.`,
    `readonly (${formatUnion(compared, false)})[]`,
    false,
  );
  const onRemoval = isRemovable(kind)
    ? generateLine(
        "on_removal",
        `${onRemovalDescription} Default: the project's setting.`,
        formatUnion([...removalPolicies], false),
        false,
      )
    : "";
  const onRotation = isSupersededOnChange(kind)
    ? generateLine(
        "on_rotation",
        `${onRotationDescription} Default: keep_old.`,
        formatUnion([...rotationPolicies], false),
        false,
      )
    : "";
  const properties = Object.entries(fields).map(([name, field]) => generateProperty(className, name, field));
  const versions = listWriteOnlyFields(kind).map((name) =>
    generateLine(toVersionField(name), spellInCode(describeVersionField(name)), "number | string", false),
  );
  const entries = listObjects(className, fields).map(generatePartsInterface);
  const body = [
    formatDoc(`Properties of ${addArticle(className)}.`),
    `export interface ${className}Props {\n${kind.identity === "adopted" ? id : ""}${properties.join("")}${versions.join("")}${protect}${ignoreChanges}${onRemoval}${onRotation}}\n`,
    ...entries.map((text) => `\n${text}`),
    "\n",
    generateClass(className, kind.name, collection, description),
  ].join("");
  const imports = [
    'import type { Construct } from "constructs";',
    ...(body.includes(": ValueSource") ? ['import type { ValueSource } from "../../secrets/index.js";'] : []),
    `import { ${body.includes("ConstructOf<") ? "type ConstructOf, " : ""}DeclaredConstruct } from "../declared.js";`,
    ...(/: Text\b/.test(body) ? ['import type { Text } from "../sources.js";'] : []),
  ];
  return `${header}${imports.join("\n")}\n\n${body}`;
}

function generateClass(className: string, name: string, collection: string, description: string): string {
  return `${formatDoc(description)}export class ${className} extends DeclaredConstruct {
  /** Distinguishes this construct from constructs of other kinds. */
  readonly kind = ${JSON.stringify(name)};

  constructor(scope: Construct, id: string, props: ${className}Props) {
    super(${JSON.stringify(collection)}, scope, id, props);
  }
}
`;
}

/** Converts field names in a description to their spelling in code. */
function spellInCode(description: string): string {
  return description.replace(/`([a-z_]+)`/g, (_, name: string) => `\`${toCamelCase(name)}\``);
}

function generateProperty(owner: string, name: string, field: Field): string {
  const unset = field.required ? "" : " Default: not managed.";
  return generateLine(
    name,
    describe(field) + unset,
    generateType(owner, name, field),
    field.required === true,
  );
}

function generateLine(name: string, description: string, type: string, isRequired: boolean): string {
  const mark = isRequired ? "" : "?";
  const more = isRequired ? "" : " | undefined";
  return `${formatDoc(description, "  ")}  readonly ${toCamelCase(name)}${mark}: ${type}${more};\n`;
}

/** Describes a field for code, where sources are functions and placeholders look like template literals. */
function describe(field: Field): string {
  const text = field.description.replace(/`!(env|file|exec)`/g, "`$1`");
  const placeholder = text.includes("${") ? " Keep it out of template literals." : "";
  const setting = field.type === "string" && field.valuesFrom?.name;
  return text + placeholder + (setting ? ` Allow more types with \`service.${toCamelCase(setting)}\`.` : "");
}

function generateType(owner: string, name: string, field: Field): string {
  const object = findObject(owner, name, field);
  if (object) return field.type === "list" ? `readonly ${object.owner}Props[]` : `${object.owner}Props`;
  if (field.type === "list") return `readonly (${generateType(owner, name, field.item)})[]`;
  // Refers to a class by its `kind`, because two classes that refer to each other would need circular imports.
  if (field.type === "reference") return `ConstructOf<${JSON.stringify(field.kind)}> | string`;
  if (isScalar(field)) return field.type;
  const { writeOnly, values, valuesFrom } = field as StringField;
  return writeOnly ? "ValueSource" : values ? formatUnion(values, valuesFrom !== undefined) : "Text";
}

function generatePartsInterface({ owner, what, parts }: NamedParts): string {
  const lines = Object.entries(parts).map(([name, part]) => {
    const unset = part.required ? "" : ` Default: ${JSON.stringify(getEmptyValue(part))}.`;
    return generateLine(
      name,
      describe(part) + unset,
      generateType(owner, name, part),
      part.required === true,
    );
  });
  return `${formatDoc(what)}export interface ${owner}Props {\n${lines.join("")}}\n`;
}

function generatePresetConstruct(): string {
  const { className, collection, description } = preset;
  const kindsInUse = [...new Set(listPresetReferences().map(({ kind }) => kind))];
  const imports = [
    'import type { Construct } from "constructs";',
    'import { DeclaredConstruct } from "../declared.js";',
    ...kindsInUse.map((kind) => `import type { ${kind.className} } from "${findModule(kind)}";`),
    'import type { ValueSource } from "../../secrets/index.js";',
    'import type { ExtraValues } from "../sources.js";',
  ];
  const what = "Session settings (§4.5). The service chooses omitted ones.";
  return [
    header,
    `${imports.join("\n")}\n\n`,
    generateGroupInterface(`${className}Props`, what, preset.fields),
    ...listGroups(preset.fields).map(
      (group) => `\n${generateGroupInterface(group.className, group.description, group.parts)}`,
    ),
    `\n${generateClass(className, "preset", collection, description)}`,
  ].join("");
}

function listGroups(fields: PresetFields): PresetGroup[] {
  return Object.values(fields).flatMap((field) =>
    field.type === "object" ? [field, ...listGroups(field.parts)] : [],
  );
}

function listGroupNames(fields: PresetFields): string[] {
  return listGroups(fields).map(({ className }) => className);
}

function generateGroupInterface(name: string, description: string, fields: PresetFields): string {
  const lines = Object.entries(fields).map(([key, field]) => generatePresetLines(key, field));
  lines.push(generateLine(preset.extra.key, preset.extra.description, "ExtraValues", false));
  return `${formatDoc(description)}export interface ${name} {\n${lines.join("")}}\n`;
}

function generatePresetLines(name: string, field: PresetField): string {
  if (field.type === "reference") {
    const kind = findReferencedKind(field);
    const instead = `Id of ${addArticle(toNoun(kind))} that is not declared here; replaces \`${toCamelCase(kind.name)}\`.`;
    const what = `The ${toNoun(kind)}: the construct, or its logical name.`;
    return (
      generateLine(kind.name, what, `${kind.className} | string`, false) +
      generateLine(name, instead, "string", false)
    );
  }
  return generateLine(toPresetKey(name, field), field.description, generatePresetType(field), false);
}

function generatePresetType(field: Exclude<PresetField, { type: "reference" }>): string {
  if (field.type === "object") return field.className;
  if (field.type === "map") return "Readonly<Record<string, string | ValueSource>>";
  if (field.type !== "string") return field.type;
  return field.writeOnly ? "ValueSource" : field.suggested ? formatUnion(field.suggested, true) : "string";
}

function generateDifferences(): string {
  const own = kinds.map(({ className, collection, title }) => ({
    className,
    collection,
    title: `${title}s`,
  }));
  const all = [...own, { ...preset, title: `${preset.className}s` }];
  const imports = [
    ...kinds.map((kind) => `import type { ${kind.className}Props } from "${findModule(kind)}";`),
    `import type { ${preset.className}Props } from "./preset.js";`,
  ];
  const lines = all.map(
    ({ className, collection, title }) =>
      `${formatDoc(`${title}, by logical name.`, "  ")}  readonly ${toCamelCase(collection)}?: Differences<${className}Props> | undefined;\n`,
  );
  return `${header}${imports.join("\n")}

/** An environment's overrides, by logical name. */
export type Differences<Props> = Readonly<
  Record<string, { readonly [Name in keyof Props]?: Props[Name] | undefined }>
>;

/** Objects that an environment overrides. */
export interface CollectionDifferences {
${lines.join("")}}
`;
}
