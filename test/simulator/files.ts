import { type Declaration, loadManifest, type Manifest } from "../../src/core/manifest/index.js";
import type { SourceKind } from "../../src/core/secrets/index.js";
import type { Project } from "../../src/operations/index.js";

/** Declared object. The first letter of its key determines its kind. The secrets t1, t2 … share the names of s1, s2 … */
export interface DeclaredObject {
  readonly key: string;
  /** Number that selects the object's text. */
  readonly text: number;
  /** Whether removing the declaration deletes the object and the secrets that its rotations superseded. */
  readonly deletes?: true;
}

/** Declarations of a project. Each object's key is also its name, except for the secrets t1, t2 … */
export interface Files {
  readonly hasProfile: boolean;
  /** Timeout of a service request, in ms. */
  readonly timeoutMs?: number | undefined;
  /** Whether list counts are ignored. */
  readonly ignoresCounts?: boolean;
  readonly objects: readonly DeclaredObject[];
}

const kinds: Readonly<Record<string, { readonly kind: string; readonly resource: string }>> = {
  c: { kind: "context", resource: "contexts" },
  s: { kind: "secret", resource: "secrets" },
  t: { kind: "secret", resource: "secrets" },
  l: { kind: "llm_configuration", resource: "llmConfigurations" },
};

/** Returns the name of the service's collection that contains an object. */
export function getCollection(key: string): string {
  return kinds[key.charAt(0)]?.resource ?? "";
}

/** Returns the name of a declared object. */
export function toName(key: string): string {
  return key.replace(/^t/, "s");
}

export function toAddress(key: string): string {
  return `${kinds[key.charAt(0)]?.kind}.${key}`;
}

const maxText = 5;
const contextKeys = createKeys("c", 120);
const secretKeys = [...createKeys("s", 20), ...createKeys("t", 3)];
const llmKeys = createKeys("l", 4);

function createKeys(letter: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${letter}${at + 1}`);
}

export function formatPrompt(key: string, text: number): string {
  return `You are ${key}. Text ${text}.`;
}

function formatManifest(hasProfile: boolean, text: number, deletes: boolean): string {
  const removal = deletes ? ", on_removal: delete" : "";
  const rotation = deletes ? ", on_rotation: delete_old" : "";
  return [
    `service: ${hasProfile ? "{ profile: liveavatar }" : "{}"}`,
    "thresholds: { max_percent: 100 }",
    "contexts:",
    ...contextKeys.map(
      (key) => `  ${key}: { name: ${key}, prompt: "${formatPrompt(key, text)}", opening_text: Hi${removal} }`,
    ),
    "secrets:",
    ...secretKeys.map(
      (key) =>
        `  ${key}: { secret_name: ${toName(key)}, secret_type: LLMPROVIDER_API_KEY, secret_value: !env ${key}${rotation}${removal} }`,
    ),
    ...(hasProfile
      ? [
          "llm_configurations:",
          ...llmKeys.map(
            (key, at) =>
              `  ${key}: { display_name: ${key}, model_name: model-${text}, secret: s${at + 1}${removal} }`,
          ),
        ]
      : []),
    "",
  ].join("\n");
}

interface Pool {
  readonly manifest: Manifest;
  readonly declarations: ReadonlyMap<string, Declaration>;
}

/** Every declarable object, by text and settings, parsed once from YAML because simulated lives read no files. */
const pools = new Map<string, Pool>();

function poolKey(hasProfile: boolean, text: number, deletes: boolean): string {
  return `${hasProfile} ${text} ${deletes}`;
}

export async function loadPools(): Promise<void> {
  if (pools.size > 0) return;
  for (const hasProfile of [false, true])
    for (const deletes of hasProfile ? [false, true] : [false])
      for (let text = 0; text <= maxText; text++) {
        const { manifest, diagnostics } = await loadManifest({
          allowCode: true,
          cwd: "/project",
          file: "avatarops.yaml",
          tree: {
            readFile: () => new TextEncoder().encode(formatManifest(hasProfile, text, deletes)),
            realpath: (file) => file,
            entries: () => [],
          },
        });
        if (!manifest) throw new Error(`Bug: ${JSON.stringify(diagnostics)}`);
        const declarations = manifest.declarations.map((one): [string, Declaration] => {
          const sources = Object.fromEntries(
            Object.keys(one.sources).map((field) => [field, { from: "vault-of-life", name: one.key }]),
          );
          return [one.key, { ...one, sources }];
        });
        pools.set(poolKey(hasProfile, text, deletes), { manifest, declarations: new Map(declarations) });
      }
}

/** Returns the project that files declare. */
export function toProject(
  { hasProfile, timeoutMs, ignoresCounts, objects }: Files,
  state: string,
  vault: SourceKind,
): Project {
  const declared = objects.map(({ key, text, deletes = false }) => {
    const one = pools.get(poolKey(hasProfile, text, deletes && hasProfile))?.declarations.get(key);
    if (!one) throw new Error(`Bug: no ${key}`);
    return one;
  });
  const base = pools.get(poolKey(hasProfile, 0, false))?.manifest;
  if (!base) throw new Error("Bug: loadPools was not called");
  const order = ["s", "t", "l", "c"];
  const rank = ({ key }: Declaration) => order.indexOf(key.charAt(0)) * 1_000 + Number(key.slice(1));
  return {
    ...base,
    service: { ...base.service, timeoutMs, ignoreListCounts: ignoresCounts },
    state,
    declarations: declared.sort((one, other) => rank(one) - rank(other)),
    sourceKinds: new Map([[vault.name, vault]]),
    findings: [],
  };
}
