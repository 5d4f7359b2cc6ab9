import path from "node:path";
import { Annotations, TerraformProvider, TerraformStack, TerraformVariable } from "cdktn";
import { Construct } from "constructs";
import { ignoredFields, kindNamed } from "../../core/kinds/index.js";
import {
  camelCase,
  type Declaration,
  isLiteral,
  type Manifest,
  type Setting,
} from "../../core/manifest/index.js";
import { describe, isEnv, type ValueSource } from "../../core/secrets/index.js";
import { ManifestCollections, makers } from "./generated/manifest-collections.js";
import { AvataropsProvider, type AvataropsProviderProps } from "./provider.js";
import { variablesIn } from "./require-secret-token.js";

/** The options of {@link AvatarManifest.fromFile}. */
export interface AvatarManifestOptions {
  /** One of the manifest's `environments:`. Default: none. */
  readonly environment?: string;
  /** The construct's id, for stacks with several manifests. Default: "avatarops". */
  readonly id?: string;
  /**
   * The account. Default: the stack's own AvataropsProvider, otherwise one with the manifest's `service:`.
   */
  readonly provider?: TerraformProvider;
}

/**
 * A whole project in YAML or TypeScript as Terraform resources. Values of secrets become sensitive variables:
 * `!env LLM_API_KEY` is the variable LLM_API_KEY, which Terraform takes from the environment variable
 * TF_VAR_LLM_API_KEY; any other source of the secret `llm` is the variable secret_llm. Presets
 * (`sessions:`) are for `avatarops token` and left out, and so is `state:`, because Terraform has its own;
 * `drift: overwrite` is passed to the provider.
 */
export class AvatarManifest extends ManifestCollections {
  private constructor(scope: Construct, id: string) {
    super(scope, id);
  }

  /**
   * Reads a project; `await` it before `app.synth()`. A path is relative to the folder in which the app runs.
   *
   * @throws ManifestError if the files have errors.
   */
  static async fromFile(
    scope: Construct,
    file: string,
    options: AvatarManifestOptions = {},
  ): Promise<AvatarManifest> {
    const made = new AvatarManifest(scope, options.id ?? "avatarops");
    // An app that does not wait would synthesise a stack without these resources, and Terraform would forget
    // them.
    let isRead = false;
    const impatient = `${file} is still being read. Write \`await AvatarManifest.fromFile(…)\` before \`app.synth()\`.`;
    made.node.addValidation({ validate: () => (isRead ? [] : [impatient]) });

    // Loads the manifest's readers only here, and what runs TypeScript only if there is some.
    const { loadManifest } = await import("../../core/manifest/index.js");
    const { manifest, diagnostics } = await loadManifest({
      cwd: path.dirname(path.resolve(file)),
      file: path.basename(file),
      definitions: async (reading) =>
        (await import("../../core/constructs/index.js")).openDefinitions(reading),
      ...(options.environment === undefined ? {} : { environment: options.environment }),
    });
    if (!manifest) throw new ManifestError(file, diagnostics.map(formatDiagnostic));
    for (const diagnostic of diagnostics) Annotations.of(made).addWarning(formatDiagnostic(diagnostic));
    const provider = options.provider ?? findProvider(made, manifest);
    const declarations = new Map(
      manifest.declarations.map((declaration) => [declaration.address, declaration]),
    );
    const adding = { made, provider, declarations, done: new Map() };
    for (const address of declarations.keys()) add(address, adding);
    isRead = true;
    return made;
  }
}

/** What it takes to make the constructs of a manifest. */
interface Adding {
  readonly made: AvatarManifest;
  readonly provider: TerraformProvider;
  readonly declarations: ReadonlyMap<string, Declaration>;
  /** By address. */
  readonly done: Map<string, { readonly id: string }>;
}

/** Makes what a declaration declares, and before it what it refers to. */
function add(address: string, adding: Adding): { readonly id: string } {
  const known = adding.done.get(address);
  if (known) return known;
  const { made, provider, declarations, done } = adding;
  const declaration = declarations.get(address);
  if (!declaration) throw new Error(`Bug: ${address} is referred to and not declared`);
  const { kind, key, id, spec, sources, versions = {}, references = {} } = declaration;
  const { protect, onRemoval, onRotation } = declaration;
  const settable = kindNamed(kind.name)?.fields ?? {};
  const other = [...Object.keys(spec), ...Object.keys(references)].find((field) => !(field in settable));
  if (other !== undefined)
    throw new Error(`${address}.${other} cannot be set through Terraform: leave it out of this project.`);
  if (declaration.stock !== undefined)
    throw new Error(`${address}.id is a name that is looked up, which only avatarops does: write the id.`);
  const make = makers[kind.name];
  const collection = (made as unknown as Record<string, object>)[camelCase(kind.collection)];
  if (!make || !collection) throw new Error(`Bug: no construct is made of the kind ${kind.name}`);
  const values = [
    ...Object.entries(spec),
    ...Object.entries(references).map(([field, target]) => [field, add(target, adding).id] as const),
    ...Object.entries(sources).map(
      ([field, source]) => [field, addVariable(made, source, `${kind.name}_${key}`)] as const,
    ),
    ...Object.entries(versions).map(([field, version]) => [`${field}_version`, version] as const),
  ].map(([field, value]) => [camelCase(field), value]);
  const ignoreChanges = ignoredFields(kind)
    .filter((field) => field in settable)
    .map((field) => (settable[field]?.type === "reference" ? `${field}_id` : field));
  // A scope for each kind: an avatar and a context may have the same key.
  const scope =
    (made.node.tryFindChild(kind.name) as Construct | undefined) ?? new Construct(made, kind.name);
  const props = {
    ...(id === undefined ? {} : { id }),
    ...Object.fromEntries(values),
    ...{ onRemoval, onRotation },
    ...((protect || ignoreChanges.length > 0) && { lifecycle: { preventDestroy: protect, ignoreChanges } }),
    provider,
  };
  const construct = make(scope, key, props);
  Object.assign(collection, { [key]: construct });
  done.set(address, construct);
  return construct;
}

/** The stack's own provider; without one, a provider with the manifest's settings. */
function findProvider(scope: Construct, manifest: Manifest): TerraformProvider {
  const present = TerraformStack.of(scope).node.findAll().find(isDefaultProvider);
  return present ?? newProvider(scope, manifest);
}

function isDefaultProvider(node: unknown): node is TerraformProvider {
  return (
    TerraformProvider.isTerraformProvider(node) &&
    node.terraformResourceType === AvataropsProvider.tfResourceType &&
    node.alias === undefined
  );
}

function newProvider(scope: Construct, { service, fingerprintKey, drift }: Manifest): AvataropsProvider {
  const { baseUrl, apiKey, successCodes, sandboxAvatar, concurrency, requestsPerSecond, timeoutMs } = service;
  const added = Object.entries(service.allowedValues).filter(([, values]) => values.length > 0);
  const from = (setting: Setting | undefined, name: string) => setting && toArgument(scope, setting, name);
  const settings = {
    baseUrl: from(baseUrl, "base_url"),
    apiKey: from(apiKey, "api_key"),
    fingerprintKey: from(fingerprintKey, "fingerprint_key"),
    successCodes: successCodes && [...successCodes],
    ...Object.fromEntries(added.map(([name, values]) => [camelCase(name), values])),
    sandboxAvatar,
    profile: service.profile,
    concurrency,
    requestsPerSecond,
    timeoutSeconds: timeoutMs && timeoutMs / 1000,
    // The manifest's default is "refuse": without the setting, the provider's own default applies.
    drift: drift === "overwrite" ? drift : undefined,
  };
  return new AvataropsProvider(scope, "provider", settings as AvataropsProviderProps);
}

/** The provider itself resolves what it finds in its own environment. */
function toArgument(scope: Construct, setting: Setting, name: string): string | undefined {
  if (isLiteral(setting)) return setting.literal;
  const isOwn = isEnv(setting) && setting.name === `AVATAROPS_${name.toUpperCase()}`;
  return isOwn ? undefined : addVariable(scope, setting, name);
}

/** The files of a manifest have errors: the message lists them, one per line. */
export class ManifestError extends Error {
  constructor(file: string, lines: readonly string[]) {
    super([`${file} cannot be used:`, ...lines].join("\n  "));
    this.name = "ManifestError";
  }
}

/**
 * A diagnostic, without its type: this becomes CommonJS, which cannot import types from ES modules
 * everywhere.
 */
interface ManifestDiagnostic {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly place?: { readonly file: string; readonly line: number; readonly column: number } | undefined;
  readonly hint?: string | undefined;
}

/** One line: what, where, what to do next. */
function formatDiagnostic({ severity, code, message, place, hint }: ManifestDiagnostic): string {
  const where = place ? ` (${place.file}:${place.line}:${place.column})` : "";
  return `${severity}[${code}] ${message}${where}${hint ? `; ${hint}` : ""}`;
}

/**
 * The variable for a source: Terraform resolves it when it runs, so that its value is in no file. An
 * environment variable is one variable of the stack, however many secrets use it, and whoever created it.
 * Every other source has its own, named `name`, or `name_2` and so on if that is taken.
 */
function addVariable(scope: Construct, source: ValueSource, name: string): string {
  const present = new Map(variablesIn(scope).map((variable) => [variable.friendlyUniqueId, variable]));
  const stem = (isEnv(source) ? source.name : name).replace(/\W/g, "_");
  if (isEnv(source)) {
    const own = present.get(stem);
    if (own) return own.stringValue;
  }
  let free = stem;
  for (let i = 2; present.has(free); i++) free = `${stem}_${i}`;
  const made = new TerraformVariable(scope, free, {
    type: "string",
    sensitive: true,
    description: `In the manifest: from ${describe(source)}.`,
  });
  // Not even in a saved plan, as `cdktf diff` leaves behind.
  made.addOverride("ephemeral", true);
  // Pipelines set it by name, so its name does not depend on its place in the app.
  made.overrideLogicalId(free);
  return made.stringValue;
}
