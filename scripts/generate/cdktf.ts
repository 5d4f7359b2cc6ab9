import { existsSync, readFileSync } from "node:fs";
import { addArticle } from "../../src/base/text/index.js";
import {
  type Field,
  findKind,
  isFindable,
  isRemovable,
  isScalar,
  type Kind,
  kinds,
  listProfiles,
  listReferenceFields,
} from "../../src/core/kinds/index.js";
import { toCamelCase } from "../../src/core/manifest/index.js";
import { formatDoc, header, toNoun, toPascalCase } from "./words.js";

/**
 * Generates the constructs of `avatarops/cdktf` on top of each kind's bindings, which `npm run
 * cdktf:bindings` writes first.
 */

const bound = kinds.filter((kind) =>
  existsSync(`src/entrypoints/cdktf/generated/bindings/${makeFileName(kind)}/index.ts`),
);
const referred = kinds.filter((kind) =>
  kinds.some((other) => listReferenceFields(other).some(([, name]) => name === kind.name)),
);

/** Returns the construct files by path. */
export function generateCdktfFiles(): Record<string, string> {
  const files = [
    ...bound.map((kind) => [makeFileName(kind), generateConstruct(kind)] as const),
    ["reference", listReferences()] as const,
  ];
  return Object.fromEntries(
    files.map(([name, text]) => [`src/entrypoints/cdktf/generated/${name}.ts`, text]),
  );
}

/** Returns the exports of the entry point, as names by source file. */
export function listCdktfExports(): ReadonlyMap<string, readonly string[]> {
  const own = bound.map(
    (kind) =>
      [`./generated/${makeFileName(kind)}.js`, [kind.className, `type ${kind.className}Props`]] as const,
  );
  // A construct has the same name as its binding.
  const resources = bound.map((kind) => {
    const name = toPascalCase(kind.name);
    const main = [`${name} as ${name}Resource`, `type ${name}Config as ${name}ResourceConfig`];
    return [findBindingFile(makeFileName(kind)), [...main, ...listParts(makeFileName(kind), name)]] as const;
  });
  const sources = bound
    .flatMap((kind) => [
      ...(isFindable(kind) ? [kind.name, kind.collection] : []),
      ...(listProfiles(kind, ({ listStock }) => listStock).length > 0 ? [`stock_${kind.name}`] : []),
    ])
    .map((name) => {
      const className = `DataAvatarops${toPascalCase(name)}`;
      const folder = `data-avatarops-${name.replaceAll("_", "-")}`;
      const names = [className, `type ${className}Config`, ...listParts(folder, className)];
      return [findBindingFile(folder), names] as const;
    });
  return new Map<string, readonly string[]>([
    ...own,
    ...resources,
    ...sources,
    ["./generated/reference.js", referred.map(({ className }) => `type I${className}`)],
  ]);
}

function findBindingFile(folder: string): string {
  return `./generated/bindings/${folder}/index.js`;
}

/** Lists the type exports for a binding's nested attributes, such as the links of a context. */
function listParts(folder: string, className: string): string[] {
  const text = readFileSync(`src/entrypoints/cdktf/generated/bindings/${folder}/index.ts`, "utf8");
  return [...text.matchAll(/^export (?:interface|class) (\w+)/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== className && name !== `${className}Config`)
    .map((name) => `type ${name}`);
}

function makeFileName({ name }: Kind): string {
  return name.replaceAll("_", "-");
}

const addressable = `  /** Terraform address, for \`dependsOn\` in other constructs. */
  get fqn(): string {
    return this.resource.fqn;
  }
`;

function generateConstruct(kind: Kind): string {
  const { className } = kind;
  const binding = `bindings.${toPascalCase(kind.name)}`;
  const isReferred = referred.includes(kind);
  const references = listReferenceFields(kind).map(([name, target]) => [name, findClass(target)] as const);
  const secrets = Object.keys(kind.fields).filter((name) => isWriteOnly(kind.fields[name]));
  const overrides = Object.entries(kind.fields).filter(([, field]) => isRetyped(field));
  const omitted = [
    ...overrides.map(([name]) => toCamelCase(name)),
    ...references.map(([name]) => `${toCamelCase(name)}Id`),
    ...secrets.flatMap((name) => [`${toCamelCase(name)}Wo`, `${toCamelCase(name)}WoVersion`]),
  ].map((name) => JSON.stringify(name));
  const base = omitted.length > 0 ? `Omit<${binding}Config, ${omitted.join(" | ")}>` : `${binding}Config`;
  const members = [
    ...overrides.map(([name, field]) => retypeProperty(kind, name, field)),
    ...references.map(([name, target]) => {
      const mark = kind.fields[name]?.required ? "" : "?";
      const what = `${kind.fields[name]?.description} The construct, or its id.`;
      return `${formatDoc(what, "  ")}  readonly ${toCamelCase(name)}${mark}: I${target} | string;\n`;
    }),
    ...secrets.map((name) => generateSecretProperties(kind, name)),
  ];
  const given = [
    ...references.map(([name]) => toCamelCase(name)),
    ...secrets.flatMap((name) => [toCamelCase(name), `${toCamelCase(name)}Version`]),
  ];
  const parameter = given.length > 0 ? `{ ${given.join(", ")}, ...props }` : "props";
  const config =
    given.length > 0
      ? toConfig(
          kind,
          references.map(([name]) => name),
          secrets,
        )
      : "literal(props)";
  const body = `${formatDoc(`Arguments of the construct {@link ${className}}. Strings are sent unchanged.`)}export interface ${className}Props extends ${base} {
${members.join("")}}

${formatDoc(describe(kind))}export class ${className} extends Construct${isReferred ? ` implements I${className}` : ""} {
  /** The Terraform resource, with every attribute, \`importFrom\` and \`addOverride\`. */
  readonly resource: ${binding};

${secrets.length > 0 ? "  /** @throws Error if a secret is a literal. */\n" : ""}  constructor(scope: Construct, id: string, ${parameter}: ${className}Props) {
    super(scope, id);
    this.resource = new ${binding}(this, "Resource", ${config}${overrides.length > 0 ? ` as ${binding}Config` : ""});
  }

  get id(): string {
    return this.resource.id;
  }

${addressable}}
`;
  const targets = [...(isReferred ? [className] : []), ...references.map(([, target]) => target)];
  const named = [
    ...new Set(targets.map((name) => `type I${name}`)),
    ...(references.length > 0 ? ["toId"] : []),
  ];
  const imports = [
    ...(body.includes("IResolvable") ? ['import type { IResolvable } from "cdktn";'] : []),
    'import { Construct } from "constructs";',
    `import * as bindings from "./bindings/${makeFileName(kind)}/index.js";`,
    'import { literal } from "../literal.js";',
    ...(named.length > 0 ? [`import { ${named.join(", ")} } from "./reference.js";`] : []),
    ...(secrets.length > 0 ? ['import { requireSecretToken } from "../require-secret-token.js";'] : []),
  ];
  return `${header}${imports.join("\n")}\n\n${body}`;
}

/** Describes a kind, and how a change affects it. */
function describe(kind: Kind): string {
  const { description, create, update } = kind;
  const superseded =
    create && !update
      ? " A change creates a new one; for the old one, see `onRotation` and `resource.supersededIds`."
      : "";
  return `${description}${superseded} Destroying it forgets it${isRemovable(kind) ? ", unless `onRemoval` is `delete`" : ""}.`;
}

function isWriteOnly(field: Field | undefined): boolean {
  return field?.type === "string" && field.writeOnly === true;
}

/**
 * Whether the construct overrides a property's type. The generated bindings make lists writable and document
 * placeholders in Terraform syntax.
 */
function isRetyped(field: Field): boolean {
  return field.type === "list" || (field.type !== "object" && field.description.includes("${"));
}

function retypeProperty({ name: kindName }: Kind, name: string, field: Field): string {
  const mark = field.required ? "" : "?";
  const objects = `readonly bindings.${toPascalCase(kindName)}${toPascalCase(name)}[] | IResolvable`;
  const plain = (one: Field) => (isScalar(one) ? one.type : "string");
  const list = (item: Field) => (item.type === "object" ? objects : `readonly ${plain(item)}[]`);
  const type = field.type === "list" ? list(field.item) : plain(field);
  return `${formatDoc(field.description, "  ")}  readonly ${toCamelCase(name)}${mark}: ${type};\n`;
}

function generateSecretProperties({ name: kindName, fields }: Kind, name: string): string {
  const key = toCamelCase(name);
  const what = fields[name]?.description.split(/[,;]/)[0];
  const from = "from a sensitive variable (`variable.stringValue`) or an ephemeral resource";
  const never = "It is sent, but never stored in a plan or state. A literal is rejected.";
  return `${formatDoc(`${what}, ${from}. ${never}`, "  ")}  readonly ${key}: string;
  /** If set, the value is sent again only when this changes. Use it for values that differ in every run. */
  readonly ${key}Version?: bindings.${toPascalCase(kindName)}Config["${key}WoVersion"];
`;
}

/** Generates the constructor argument of the binding. Converts references to ids and requires tokens for secrets. */
function toConfig({ fields }: Kind, references: readonly string[], secrets: readonly string[]): string {
  const ids = references.map((name) => {
    const key = toCamelCase(name);
    if (fields[name]?.required) return `${key}Id: toId(${key}),`;
    return `...(${key} === undefined ? {} : { ${key}Id: toId(${key}) }),`;
  });
  const values = secrets.map((name) => {
    const key = toCamelCase(name);
    return `${key}Wo: requireSecretToken(this, "${key}", ${key}),
      ...(${key}Version === undefined ? {} : { ${key}WoVersion: ${key}Version }),`;
  });
  return `{ ...literal(props), ${[...ids, ...values].join("\n")} }`;
}

/** Returns the class name of the kind with this name. */
function findClass(name: string): string {
  return findKind(name)?.className ?? toPascalCase(name);
}

function listReferences(): string {
  const texts = referred.map(
    ({ className, ...kind }) =>
      `\n/** ${toPascalCase(addArticle(toNoun(kind)).split(" ")[0] ?? "")} ${toNoun(kind)} that other constructs can refer to. */\nexport interface I${className} {\n  readonly id: string;\n}\n`,
  );
  return `${header}${texts.join("")}
/** Returns the id of a referenced object, given the object or its id. */
export function toId(reference: string | { readonly id: string }): string {
  return typeof reference === "string" ? reference : reference.id;
}
`;
}
