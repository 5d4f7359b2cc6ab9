import path from "node:path";
import { Annotations, type TerraformProvider } from "cdktn";
import { Construct } from "constructs";
import type { Declaration } from "../../core/manifest/index.js";
import { isEnv, isExec, listFields, loadedKind, type ValueSource } from "../../core/secrets/index.js";
import { ManifestCollections, makers } from "./generated/manifest-collections.js";
import { formatDiagnostic, ManifestError } from "./manifest-error.js";
import { findProvider } from "./manifest-provider.js";
import { SecretValue } from "./secret-value.js";
import { addVariable } from "./source-variable.js";

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
 * A whole project in YAML or TypeScript as Terraform resources. Values from vaults become ephemeral resources, which
 * Terraform reads itself; those from elsewhere become sensitive variables: `!env LLM_API_KEY` is the variable
 * LLM_API_KEY, which Terraform takes from the environment variable TF_VAR_LLM_API_KEY; a file or a command for the
 * secret `llm` is the variable secret_llm. Presets
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
    const rooms = await import("../../core/manifest/index.js");
    const { manifest, diagnostics } = await rooms.loadManifest({
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
    const adding = { made, provider, camelCase: rooms.camelCase, declarations, done: new Map() };
    for (const address of declarations.keys()) add(address, adding);
    isRead = true;
    return made;
  }
}

/** What it takes to make the constructs of a manifest. */
interface Adding {
  readonly made: AvatarManifest;
  readonly provider: TerraformProvider;
  readonly camelCase: (field: string) => string;
  readonly declarations: ReadonlyMap<string, Declaration>;
  /** By address. */
  readonly done: Map<string, { readonly id: string }>;
}

/**
 * Terraform reads a vault itself. What is on this machine, or known only to this project, comes as a variable: terraform
 * may run elsewhere, and does run in another folder.
 */
function addSecret(source: ValueSource, name: string, { made, provider }: Adding): string {
  const kind = loadedKind(source.from);
  const isLocal =
    !kind ||
    isEnv(source) ||
    isExec(source) ||
    [...listFields(kind)].some(([name, { type }]) => type === "file" && source[name] !== undefined);
  if (isLocal) return addVariable(made, source, name);
  const values =
    (made.node.tryFindChild("secret_value") as Construct | undefined) ?? new Construct(made, "secret_value");
  return new SecretValue(values, name, source, { provider }).value;
}

/** Makes what a declaration declares, and before it what it refers to. */
function add(address: string, adding: Adding): { readonly id: string } {
  const known = adding.done.get(address);
  if (known) return known;
  const { made, provider, camelCase, declarations, done } = adding;
  const declaration = declarations.get(address);
  if (!declaration) throw new Error(`Bug: ${address} is referred to and not declared`);
  const { kind, key, id, spec, sources, versions = {}, references = {}, protect } = declaration;
  const make = makers[kind.name];
  const collection = (made as unknown as Record<string, object>)[kind.collection];
  if (!make || !collection) throw new Error(`Bug: no construct is made of the kind ${kind.name}`);
  const values = [
    ...Object.entries(spec),
    ...Object.entries(references).map(([field, target]) => [field, add(target, adding).id] as const),
    ...Object.entries(sources).map(
      ([field, source]) => [field, addSecret(source, `${kind.name}_${key}`, adding)] as const,
    ),
    ...Object.entries(versions).map(([field, version]) => [`${field}_version`, version] as const),
  ].map(([field, value]) => [camelCase(field), value]);
  // A scope for each kind: an avatar and a context may have the same key.
  const scope =
    (made.node.tryFindChild(kind.name) as Construct | undefined) ?? new Construct(made, kind.name);
  const props = {
    ...(id === undefined ? {} : { id }),
    ...Object.fromEntries(values),
    ...(protect ? { lifecycle: { preventDestroy: true } } : {}),
    provider,
  };
  const construct = make(scope, key, props);
  Object.assign(collection, { [key]: construct });
  done.set(address, construct);
  return construct;
}
