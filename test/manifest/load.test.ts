import { realpathSync, symlinkSync } from "node:fs";
import path from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { loadManifest } from "../../src/core/manifest/index.js";
import { expectReports } from "./mistakes.js";
import { createProjectFolder } from "./project.js";

const id = "7d1f0c1e-0000-1000-8000-000000000001";

/** Loads a valid project and omits source ranges. */
async function loadProject(files: Record<string, string>, environment?: string) {
  const cwd = createProjectFolder(files);
  const result = await loadManifest({ allowCode: true, cwd, ...(environment ? { environment } : {}) });
  expect(result.diagnostics).toEqual([]);
  if (!result.manifest) throw new Error("there is neither a manifest nor a diagnostic");
  return result.manifest;
}

async function loadSpecs(files: Record<string, string>, environment?: string) {
  const { declarations } = await loadProject(files, environment);
  return Object.fromEntries(declarations.map(({ address, spec }) => [address, spec]));
}

describe("loading an invalid project", () => {
  test("reports each mistake with its line, column and fix, but no secrets", async () => {
    expect(await expectReports(`${import.meta.dirname}/mistakes.txt`)).not.toMatch(/sk-live|51Hq|4711/);
  });

  test("reports a missing avatarops.yaml", async () => {
    const cwd = createProjectFolder({ "avatarops.yml": "" });
    const { diagnostics } = await loadManifest({ allowCode: true, cwd });
    expect(diagnostics).toEqual([
      {
        severity: "error",
        code: "missing-file",
        message: `there is no file avatarops.yaml in ${cwd}`,
        hint: "rename avatarops.yml to avatarops.yaml, or choose it with --file avatarops.yml",
      },
    ]);
  });

  const levels = Array.from({ length: 30 }, (_, i) => `x-${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(9)}]\n`);
  test.each([
    ["a file that is not UTF-8", new Uint8Array([0x61, 0x3a, 0xff]), "not-utf8"],
    ["nested aliases that expand to millions", `x-0: &a0 [x]\n${levels.join("")}`, "alias-expansion"],
    ["nesting that would exhaust the stack", `x-a: ${"[".repeat(100_000)}`, "yaml-syntax"],
  ])("reports %s", async (_what, text, code) => {
    const { diagnostics } = await loadManifest({
      allowCode: true,
      cwd: createProjectFolder({ "avatarops.yaml": text }),
    });
    expect(new Set(diagnostics.map((one) => one.code))).toEqual(new Set([code]));
  });

  test("reports a file pattern that leads through a symlink to a folder outside the project", async () => {
    const text = "---\nname: A\n---\nP\n";
    const outside = createProjectFolder({ "deep/a.md": text });
    const collector = async (include: string) => {
      const cwd = createProjectFolder({ "avatarops.yaml": `include: ['${include}']\n`, "in/b.md": text });
      symlinkSync(outside, path.join(cwd, "ix"));
      symlinkSync("in", path.join(cwd, "y"));
      const { manifest, diagnostics } = await loadManifest({ allowCode: true, cwd });
      const messages = diagnostics.map(({ severity, code, message }) => `${severity} ${code} ${message}`);
      return { declared: manifest?.declarations.map(({ address }) => address), messages };
    };
    const away = `leads outside the project folder, to ${realpathSync(outside)}, through a symlink`;
    expect(await collector("ix/**/*.md")).toEqual({
      declared: undefined,
      messages: [`error outside-project ix/**/*.md ${away}`, "warning no-match ix/**/*.md matches no file"],
    });
    expect(await collector("i*/**/*.md")).toEqual({
      declared: ["context.b"],
      messages: [`warning outside-project i*/**/*.md ${away}, which is not followed`],
    });
    expect(await collector("y/*.md")).toEqual({ declared: ["context.b"], messages: [] });
  });

  test("reports a symlink to a file outside the project", async () => {
    const outside = createProjectFolder({ "p.md": "secret" });
    const cwd = createProjectFolder({
      "avatarops.yaml": "contexts:\n  a: { name: A, prompt: !file p.md }\n",
    });
    symlinkSync(path.join(outside, "p.md"), path.join(cwd, "p.md"));
    expect((await loadManifest({ allowCode: true, cwd })).diagnostics.map(({ code }) => code)).toEqual([
      "outside-project",
    ]);
  });
});

describe("manifest", () => {
  test("is loaded with all settings", async () => {
    const { declarations, presets, ...rest } = await loadProject({
      "avatarops.yaml": `service:
  base_url: https://api.example.com
  api_key: !exec { command: [vault, read], timeout_seconds: 2 }
  success_codes: [100]
  ignore_list_counts: true
  secret_types: [OPENAI_API_KEY]
  sandbox_avatar: ${id}
  session_duration_unit: minutes
  concurrency: 4
  requests_per_second: 2.5
  timeout_seconds: 30
state: s.json
drift: overwrite
fingerprint_key: !file keys/f
avatars: { host: { id: ${id} } }
secrets:
  llm: { secret_name: l, secret_type: OPENAI_API_KEY, secret_value: !env LLM }
sessions:
  kiosk:
    avatar: host
    mode: LITE
    persona: { voice_id: ${id}, language: en, voice_settings: { speed: 1.5 }, stt_config: { provider: p } }
thresholds: { max_percent: 50 }
variables: {}
templates: [prompts/*.md]
partials: shared
`,
    });
    const shown = declarations.map(({ kind: _, range, origins: __, keys = {}, ...one }) => ({
      ...{ ...one, line: range.source.locate(range.start).line, keys: Object.keys(keys) },
    }));
    const content = {
      ...rest,
      root: "",
      declarations: shown,
      presets: presets.map(({ range: _, ...one }) => one),
    };
    await expect(inspect(content, { depth: 9, breakLength: 100 })).toMatchFileSnapshot("everything.txt");
  });

  test("has defaults for omitted settings", async () => {
    const { service, state, drift } = await loadProject({ "avatarops.yaml": "contexts:\n" });
    expect({ service, state, drift }).toEqual({
      service: {
        baseUrl: { from: "env", name: "AVATAROPS_BASE_URL" },
        apiKey: { from: "env", name: "AVATAROPS_API_KEY" },
        allowedValues: { secret_types: [] },
      },
      state: ".avatarops/state.json",
      drift: "refuse",
    });
  });

  test.each<[name: string, bytes: string, prompt: string]>([
    ["drops one final newline", "P\n", "P"],
    ["keeps a second final newline", "P\n\n", "P\n"],
    ["converts Windows line endings", "P\r\nQ\r\n", "P\nQ"],
    ["converts line endings that were converted twice", "P\r\r\nQ\r\r\n", "P\nQ"],
    ["keeps a single carriage return", "P\rQ\r", "P\rQ\r"],
    ["drops a byte order mark", "\uFEFFP", "P"],
    ["keeps placeholders", "${a} $${b}", "${a} $${b}"],
  ])("reads a prompt file and %s", async (_name, bytes, prompt) => {
    const main = "contexts:\n  a: { name: A, prompt: !file p.md }\ninclude: [b.md]\n";
    const files = {
      "avatarops.yaml": main,
      "p.md": bytes,
      "b.md": `---\nname: B\n---\n${bytes.replace("\uFEFF", "")}`,
    };
    expect(await loadSpecs(files)).toEqual({
      "context.a": { name: "A", prompt },
      "context.b": { name: "B", prompt },
    });
  });

  test("accepts names in any script and file names with combining marks", async () => {
    const files = {
      "avatarops.yaml": "contexts: { 客服: { name: A, prompt: P } }\ninclude: ['*.md']\n",
      "и\u0306.md": "---\nname: B\n---\nP\n",
    };
    expect(Object.keys(await loadSpecs(files))).toEqual(["context.客服", "context.й"]);
  });

  test("includes files recursively, ordered by pattern and name", async () => {
    const { files, declarations } = await loadProject({
      "avatarops.yaml": 'include: ["shared/*.yaml", "**/*.md"]\n',
      "shared/z.yaml": "include: [../b.md]\n",
      "shared/a.yaml": "contexts: { a: { name: A, prompt: !file a.txt } }\n",
      "shared/a.txt": "from beside",
      "b.md": "---\nname: B\n---\nb",
      "c/c.md": "---\nname: C\n---\nc",
    });
    expect(files).toEqual([
      "avatarops.yaml",
      "shared/a.yaml",
      "shared/z.yaml",
      "b.md",
      "c/c.md",
      "shared/a.txt",
    ]);
    expect(declarations.map(({ address }) => address)).toEqual(["context.a", "context.b", "context.c"]);
  });

  test("accepts anchors, aliases and merge keys", async () => {
    const text = `x-base: &base { name: Base, prompt: P }
contexts:
  a: *base
  b: { <<: *base, name: B }
  c: { <<: [{ name: C }, *base] }
`;
    const result = await loadManifest({
      allowCode: true,
      cwd: createProjectFolder({ "avatarops.yaml": text }),
    });
    expect(result.diagnostics).toEqual([]);
    expect(result.manifest?.declarations.map(({ spec }) => spec)).toEqual([
      { name: "Base", prompt: "P" },
      { name: "B", prompt: "P" },
      { name: "C", prompt: "P" },
    ]);
  });
});

describe("environment", () => {
  const files = {
    "avatarops.yaml": `state: a.json
service: { base_url: https://a.example, concurrency: 2 }
include: [support.md]
avatars: { host: { id: ${id}, name: Host } }
environments:
  staging:
    state: b.json
    service: { base_url: https://b.example }
    contexts:
      support: { prompt: Short, links: [] }
      extra: { name: Extra, prompt: E }
`,
    "support.md": "---\nname: Support\nlinks: [{ url: https://x.example }]\n---\nLong\n",
  };

  test("merges mappings by key, replaces other values and adds objects", async () => {
    const { state, service } = await loadProject(files, "staging");
    expect({ state, service }).toMatchObject({
      state: "b.json",
      service: { baseUrl: { literal: "https://b.example" }, concurrency: 2 },
    });
    expect(await loadSpecs(files, "staging")).toEqual({
      "avatar.host": { name: "Host" },
      "context.support": { name: "Support", prompt: "Short", links: [] },
      "context.extra": { name: "Extra", prompt: "E" },
    });
  });

  test("changes nothing if not selected", async () => {
    expect(await loadSpecs(files)).toEqual({
      "avatar.host": { name: "Host" },
      "context.support": { name: "Support", prompt: "Long", links: [{ url: "https://x.example", faq: "" }] },
    });
  });
});
