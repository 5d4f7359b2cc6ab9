import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  documentKind,
  type Field,
  isRemovable,
  isScalar,
  kinds,
  listReferenceFields,
  listWriteOnlyFields,
  preset as presets,
  toVersionField,
  valueSettings,
} from "../../src/core/kinds/index.js";
import { loadManifest, type Manifest, toCamelCase } from "../../src/core/manifest/index.js";
import { createSampleDataset } from "../../src/emulator/index.js";
import { createOpenDefinitions } from "../../src/operations/index.js";
import { startProject } from "../cli/hosting.js";
import { createProjectFolder } from "../manifest/project.js";
import { scaleRuns } from "../real/long.js";

const definitions = createOpenDefinitions({ loadLibrary: () => import("../../src/index.js") });

/* A YAML project and the same project in TypeScript must produce equal manifests. */

describe("TypeScript and YAML examples", () => {
  test("produce plans with equal digests, before and after an apply", async () => {
    const { project, plan } = await startBothExamples();
    const before = await plan("avatarops.yaml");
    expect(before.changes).toHaveLength(8);
    expect(await plan("avatarops.config.ts")).toEqual(before);
    const staging = ["--env", "staging"];
    expect(await plan("avatarops.config.ts", ...staging)).toEqual(await plan("avatarops.yaml", ...staging));

    const applied = await project.avatarops("apply", "--auto-approve", "-f", "avatarops.yaml");
    expect(applied).toMatchObject({ exit: 0 });

    expect(await plan("avatarops.config.ts")).toEqual(await plan("avatarops.yaml"));
    await project.expectNothingToDo("-f", "avatarops.config.ts");
  });
});

test("loads the same manifest from a random project written in YAML and in TypeScript", async () => {
  await fc.assert(
    fc.asyncProperty(anyProject, async (project) => {
      const cwd = createProjectFolder({
        "avatarops.yaml": writeYaml(project),
        "main.ts": writeTypeScript(project),
      });
      for (const environment of [undefined, ...Object.keys(project.environments).slice(0, 1)]) {
        const read = async (file: string) =>
          stripLocations(
            (
              await loadManifest({
                allowCode: true,
                cwd,
                file,
                definitions,
                ...(environment ? { environment } : {}),
              })
            ).manifest,
          );
        const fromYaml = await read("avatarops.yaml");
        expect(fromYaml).toBeDefined();
        const fromCode = await read("main.ts");
        expect(fromCode).toEqual(fromYaml);
        // Digests depend on the exact order.
        expect(JSON.stringify(fromCode?.declarations)).toBe(JSON.stringify(fromYaml?.declarations));
      }
    }),
    { numRuns: scaleRuns(15) },
  );
});

/** Starts both examples in one folder, with one account and one state. */
async function startBothExamples() {
  const project = await startProject({
    files: { ...readExampleFiles("yaml"), ...readExampleFiles("typescript") },
    world: createSampleDataset(Date.now() - 3_600_000),
    environment: { LLM_API_KEY: "a-key", LLM_API_KEY_STAGING: "another-key" },
  });
  const plan = async (file: string, ...options: string[]) => {
    const { stdout } = await project.avatarops("plan", "-f", file, "--format", "json", ...options);
    // Removes source positions and the main file's name, because they differ between the two languages.
    const omitLocations = (key: string, value: unknown) =>
      ["location", "declared_at"].includes(key) ? undefined : value;
    return JSON.parse(stdout.replaceAll(`--file ${file}`, "--file FILE"), omitLocations) as {
      changes: { action: string }[];
      digest: string;
    };
  };
  return { project, plan };
}

function readExampleFiles(name: string): Record<string, string> {
  const folder = path.join("examples", name);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.\w+$/.test(file),
  );
  return Object.fromEntries(files.map((file) => [file, readFileSync(path.join(folder, file), "utf8")]));
}

/** Returns a manifest without source ranges. */
function stripLocations(manifest: Manifest | undefined) {
  if (!manifest) return undefined;
  const { service, notify, state, drift, thresholds, onRemoval, fingerprintKey, declarations, presets } =
    manifest;
  return {
    ...{ service, notify, state, drift, thresholds, onRemoval, fingerprintKey },
    declarations: declarations.map(({ kind: _, range: __, keys: ___, origins: ____, ...content }) => content),
    presets: presets.map(({ key, body, references }) => ({ key, body, references })),
  };
}

/** A secret source that can be written in both languages. */
class Sourced {
  readonly yaml: string;
  readonly code: string;
  constructor(yaml: string, code: string) {
    this.yaml = yaml;
    this.code = code;
  }
}

const text = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1 }),
  fc.constantFrom(
    "${name}",
    "`${x}`\\",
    "a\u2028b\u2029",
    "'\"\n\r\n\t",
    "!env HOME",
    "👩‍🔧",
    "</script>",
    "null",
    "1.0",
  ),
);
const key = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,8}$/);
const source = fc.oneof(
  fc.constantFrom("LLM_KEY", "OTHER").map((name) => new Sourced(`!env ${name}`, `env("${name}")`)),
  fc.constant(new Sourced("!file keys/llm", 'file("keys/llm")')),
  fc.constant(new Sourced("!exec [pass, llm]", 'exec(["pass", "llm"])')),
  fc.constant(
    new Sourced("!exec { command: [pass], timeout_seconds: 2.5 }", 'exec(["pass"], { timeoutSeconds: 2.5 })'),
  ),
);
const generateRecord = <Fields extends Record<string, fc.Arbitrary<unknown>>>(
  fields: Fields,
  ...requiredKeys: (keyof Fields)[]
) => fc.record(fields, { requiredKeys } as object) as unknown as fc.Arbitrary<Record<string, unknown>>;
const generateNamed = (value: fc.Arbitrary<Record<string, unknown>>) =>
  fc.dictionary(key, value, { maxKeys: 3 });

/** Key that all references use. Each referenced kind has an object with this key. */
const referredKey = "referred";

/** Arbitrary field values. "EAR_KEY" is an additional value that the project's settings may allow. */
function generateFieldValue(field: Field): fc.Arbitrary<unknown> {
  if (field.type === "list") return fc.array(generateFieldValue(field.item), { maxLength: 2 });
  if (field.type === "object") return generateObject(field.parts);
  if (field.type === "reference") return fc.constant(referredKey);
  if (isScalar(field)) {
    const { type, whole, minimum = -1_000, maximum = 1_000 } = field;
    const steps = whole ? 1 : 4;
    const number = fc.integer({ min: Math.ceil(minimum * steps), max: Math.floor(maximum * steps) });
    return type === "boolean" ? fc.boolean() : number.map((step) => step / steps);
  }
  const { writeOnly, values, valuesFrom, format, minLength = 0, maxLength = Infinity } = field;
  if (writeOnly) return source;
  if (values) return fc.constantFrom(...values, ...(valuesFrom ? ["EAR_KEY"] : []));
  return format === "url"
    ? fc.webUrl()
    : text.filter(({ length }) => length >= minLength && length <= maxLength);
}

type Values = Record<string, fc.Arbitrary<unknown>>;

function generateObject(fields: Readonly<Record<string, Field>>, more: Values = {}, optional: Values = {}) {
  const values = Object.entries(fields).map(([name, field]) => [name, generateFieldValue(field)]);
  const required = Object.keys(fields).filter((name) => fields[name]?.required);
  return generateRecord(
    { ...more, ...optional, ...Object.fromEntries(values) },
    ...Object.keys(more),
    ...required,
  );
}

const removal = fc.constantFrom("delete", "forget");

/** Arbitrary objects of each kind, by collection key. */
const objects: Record<string, ReturnType<typeof generateNamed>> = Object.fromEntries(
  kinds.map((kind) => {
    const { name, collection, identity, fields } = kind;
    const versions = listWriteOnlyFields(kind).map((field) => [
      toVersionField(field),
      fc.constantFrom(3, "2026"),
    ]);
    const one = generateObject(fields, identity === "adopted" ? { id: fc.uuid() } : {}, {
      ...{ protect: fc.boolean(), ...Object.fromEntries(versions) },
      ...(isRemovable(kind) ? { on_removal: removal } : {}),
    });
    const isReferred = kinds.some((other) =>
      listReferenceFields(other).some(([, target]) => target === name),
    );
    const withReferred = fc
      .tuple(generateNamed(one), one)
      .map(([all, it]) => ({ ...all, [referredKey]: it }));
    return [collection, isReferred ? withReferred : generateNamed(one)];
  }),
);
const { collection: documents } = documentKind.kind;
const settings = {
  state: fc.constantFrom("a.json", "b/c.json"),
  drift: fc.constantFrom("refuse", "overwrite"),
  thresholds: generateRecord({ max_percent: fc.nat(100), min_objects: fc.integer({ min: 1 }) }),
  on_removal: generateRecord({ [documents]: removal }),
  fingerprint_key: source,
  notify: fc.array(generateRecord({ url: source, secret: source, events: fc.constant(["applied"]) }, "url"), {
    ...{ minLength: 1, maxLength: 2 },
  }),
};
const persona = generateRecord({
  voice_id: fc.uuid(),
  context_id: fc.uuid(),
  language: fc.constantFrom("en", "pt-BR", "gsw"),
  voice_settings: generateRecord({
    speed: fc.integer(),
    similarity_boost: fc.constant(0.5),
    use_speaker_boost: fc.boolean(),
  }),
  stt_config: generateRecord({ provider: text }),
});
const preset = generateRecord({
  ...{
    avatar_id: fc.uuid(),
    persona,
    mode: fc.constantFrom("LITE", "HOLOGRAM"),
    is_sandbox: fc.boolean(),
    llm_configuration_id: fc.uuid(),
  },
  ...{ max_session_duration: fc.integer({ min: 1 }), interactivity_type: text },
  video_settings: generateRecord({ quality: text, encoding: text }),
});
const service = generateRecord<Record<string, fc.Arbitrary<unknown>>>(
  {
    profile: fc.constant("liveavatar"),
    base_url: fc.oneof(fc.constant("https://api.example.com"), source),
    api_key: source,
    success_codes: fc.constant([100, 200]),
    ignore_list_counts: fc.boolean(),
    ...Object.fromEntries(valueSettings.map(({ name }) => [name, fc.constant(["EAR_KEY"])])),
    requests_per_second: fc.constant(2.5),
    session_duration_unit: fc.constant("minutes"),
    timeout_seconds: fc.integer({ min: 1, max: 60 }),
  },
  "profile",
  ...valueSettings.map(({ name }) => name),
);
const anyProject = fc.record({
  settings: generateRecord({ service, ...settings }, "service", "notify"),
  collections: fc.record({ ...objects, [presets.collection]: generateNamed(preset) }),
  environments: generateNamed(
    generateRecord({ ...settings, [documents]: objects[documents] ?? fc.constant({}) }),
  ),
});
type AnyProject = typeof anyProject extends fc.Arbitrary<infer Project> ? Project : never;

/** Writes YAML in JSON notation with tags. */
function writeYaml({ settings: own, collections, environments }: AnyProject): string {
  return write({ ...own, ...collections, environments }, yaml);
}

const classes = Object.fromEntries(
  [...kinds, presets].map(({ collection, className }) => [collection, className]),
);

function writeTypeScript({ settings: own, environments, collections }: AnyProject): string {
  const inCode = (value: unknown) => write(value, code);
  // Converts property names to camel case, but keeps the names of environments and of their objects.
  const byName = Object.entries(environments).map(([name, { [documents]: changed = {}, ...rest }]) => {
    const objects = Object.entries(changed as object).map(
      ([id, props]) => `${JSON.stringify(id)}: ${inCode(props)}`,
    );
    const properties = Object.entries(rest).map(
      ([field, value]) => `${toCamelCase(field)}: ${inCode(value)}`,
    );
    return `${JSON.stringify(name)}: { ${[...properties, `${documents}: { ${objects.join(", ")} }`].join(", ")} }`;
  });
  const statements = Object.entries(classes).flatMap(([collection, name]) =>
    Object.entries(collections[collection] ?? {}).map(
      ([id, props]) => `new ${name}(project, ${JSON.stringify(id)}, ${inCode(props)});`,
    ),
  );
  return `import { env, exec, file, Project, ${Object.values(classes).join(", ")} } from "avatarops";
const project = new Project({ ...${inCode(own)}, environments: { ${byName.join(", ")} } });
${statements.join("\n")}
export default project;
`;
}

/**
 * Notation of values in YAML or TypeScript. TypeScript files list keys in reverse order, to prove that order
 * does not matter.
 */
interface Language {
  source(source: Sourced): string;
  name(name: string): string;
  order<One>(parts: One[]): One[];
}

const yaml: Language = { source: ({ yaml: text }) => text, name: (name) => name, order: (parts) => parts };
const code: Language = {
  source: ({ code: text }) => text,
  name: toCamelCase,
  order: (parts) => parts.reverse(),
};

function write(value: unknown, language: Language): string {
  if (value instanceof Sourced) return language.source(value);
  if (Array.isArray(value)) return `[${value.map((item) => write(item, language)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(
    ([name, inner]) => `${JSON.stringify(language.name(name))}: ${write(inner, language)}`,
  );
  return `{ ${language.order(parts).join(", ")} }`;
}
