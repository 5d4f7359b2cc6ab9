// @module-tag night
import { ftruncateSync, openSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openSourceFile } from "../../src/base/diagnostics/index.js";
import { loadManifest } from "../../src/core/manifest/index.js";
import { redactSecretLines } from "../../src/core/manifest/sources/redact-text.js";
import { createCollector } from "../../src/core/manifest/tree/diagnostics-collector.js";
import { runIn } from "../cli/hosting.js";
import { scaleRuns } from "../real/long.js";
import { createProjectFolder } from "./project.js";

/*
 * Tests small files that used to take minutes or gigabytes. A regression makes these tests time out.
 */

function repeatText(count: number, one: (i: number) => string, between = ""): string {
  return Array.from({ length: count }, (_, i) => one(i)).join(between);
}

const formatContexts = (count: number) =>
  `contexts:\n${repeatText(count, (i) => `  c${i}: { name: N${i}, prompt: P }\n`)}`;

async function load(text: string, environment?: string) {
  const cwd = createProjectFolder({ "avatarops.yaml": text });
  return loadManifest({ allowCode: true, cwd, ...(environment === undefined ? {} : { environment }) });
}

describe("thousands of environments", () => {
  const environments = (one: (i: number) => string) =>
    `environments:\n${repeatText(1000, (i) => `  e${i}: { ${one(i)} }\n`)}`;

  test.each([
    ["their own state", (i: number) => `state: s${i}.json`],
    ["their own service", (i: number) => `service: { base_url: "https://a${i}.example.com" }`],
    [
      "their own avatars",
      (i: number) => `avatars: { host: { id: 7d1f0c1e-0000-1000-8000-00000000${1000 + i} } }`,
    ],
  ])("may each have %s in a project with a thousand contexts", async (_, one) => {
    const { manifest, diagnostics } = await load(formatContexts(1000) + environments(one), "e999");
    expect(diagnostics).toEqual([]);
    expect(manifest?.declarations.filter(({ kind }) => kind.name === "context")).toHaveLength(1000);
  });

  test.each([
    ["contexts", (i: number) => `contexts: { c1: { prompt: P${i} } }`],
    ["secret types", (i: number) => `service: { secret_types: [T${i}] }`],
  ])("are rejected if each environment changes %s", async (_, one) => {
    const text = formatContexts(1500) + environments(one);
    expect(await load(text)).toMatchObject({
      diagnostics: [{ code: "too-large", location: { line: 1502 } }],
    });
  });

  test("can each change an object in a project with a few hundred objects", async () => {
    const text = formatContexts(400) + environments((i) => `contexts: { c1: { prompt: P${i} } }`);
    const { manifest } = await load(text, "e7");
    expect(manifest?.declarations[1]?.spec.prompt).toBe("P7");
    expect(manifest?.declarations[2]?.spec.prompt).toBe("P");
  });
});

test("loads two thousand presets, each with a reference to a context", async () => {
  const presets = repeatText(2000, (i) => `  s${i}: { persona: { context: c${1999 - i} } }\n`);
  const { manifest, diagnostics } = await load(`${formatContexts(2000)}sessions:\n${presets}`);
  expect([manifest?.presets.length, diagnostics]).toEqual([2000, []]);
});

describe("broken line of 400 KB", () => {
  test.each([
    ["api_key: ", "a: [", ""],
    ["api_key: x, ", "service: {", ""],
    ["  api_key: \n", "a: [\n", ""],
    ["   foo bar api_key: x\n", "", "a: [\n"],
  ])("is reported without delay: %j", async (piece, before, after) => {
    const text = before + piece.repeat(Math.ceil(400_000 / piece.length)) + after;
    const { diagnostics } = await load(text);
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(diagnostics.length).toBeLessThan(25);
  });
});

describe("five thousand mistakes on one line", () => {
  test("are limited to a thousand reports, each with the surrounding text", async () => {
    const text = `contexts: { ${repeatText(5_000, (i) => `c${i}: { name: N${i}, promt: P }`, ", ")} }\n`;
    const { diagnostics } = await load(text);
    const [more, ...errors] = diagnostics;
    expect(more).toEqual({
      severity: "error",
      code: "more-errors",
      message: "there are more than 1000 errors",
      hint: "fix these first",
    });
    expect(errors).toHaveLength(1000);
    for (const { location } of errors) {
      if (!location) throw new Error("it has no location");
      const { text: shown, column, length, textColumn = 1 } = location;
      expect(shown.length).toBeLessThanOrEqual(2000);
      const meant = text.slice(column - 1, column - 1 + length);
      expect(shown.slice(column - textColumn).slice(0, length)).toBe(meant);
    }
    expect(JSON.stringify(diagnostics).length).toBeLessThan(3_000_000);
  });

  test("are each marked with carets directly below the misspelled key", async () => {
    const text = `contexts: { ${repeatText(1_200, (i) => `c${i}: { name: N${i}, prompt: P, promt: P }`, ", ")} }\n`;
    const { stdout } = await runIn(createProjectFolder({ "avatarops.yaml": text }), ["validate"]);
    const lines = stdout.split("\n");
    const carets = lines.flatMap((line, i) => (/\^{5}/.test(line) ? [i] : []));
    expect(carets).toHaveLength(1000);
    for (const i of carets) {
      const at = lines[i]?.indexOf("^") ?? 0;
      expect(lines[i - 1]?.slice(at, at + 5)).toBe("promt");
    }
    const json = await runIn(createProjectFolder({ "avatarops.yaml": text }), [
      "validate",
      "--format",
      "json",
    ]);
    const { location } = JSON.parse(json.stdout).diagnostics.at(-1);
    expect(location.text.slice(location.column - location.text_column).slice(0, location.length)).toBe(
      "promt",
    );
  });

  test("are reported without the secrets between them", async () => {
    const secret = (i: number) =>
      `c${i}: { secret_name: N, secrt_value: sk-4711-${i}, secret_value: sk-4711 }`;
    const { diagnostics } = await load(`secrets: { ${repeatText(5_000, secret, ", ")} }\n`);
    expect(diagnostics).toHaveLength(1001);
    expect(JSON.stringify(diagnostics)).not.toContain("4711");
  });
});

test("reports at most a thousand errors and a thousand warnings for a project", async () => {
  const wrong = `contexts:\n${repeatText(1500, (i) => `  c${i}: { name: N${i}, prompt: P, promt: P }\n`)}`;
  const odd = `variables:\n${repeatText(1500, (i) => `  v${i}: unused\n`)}`;
  for (const text of [wrong + odd, odd + wrong]) {
    const { diagnostics } = await load(text);
    const count = (severity: string) => diagnostics.filter((one) => one.severity === severity).length;
    expect([count("error"), count("warning")]).toEqual([1001, 1001]);
  }
});

describe("templates", () => {
  const loadFiles = async (files: Readonly<Record<string, string>>, texts = 1) => {
    const names = Array.from(
      { length: texts },
      (_, i) => `c${i}: { name: N${i}, prompt: !file { path: main.md, variables: { v: V${i} } } }`,
    );
    const manifest = `partials: parts\ncontexts:\n${names.map((one) => `  ${one}\n`).join("")}`;
    return loadManifest({
      allowCode: true,
      cwd: createProjectFolder({ "avatarops.yaml": manifest, "main.md": "{{v}}", ...files }),
    });
  };
  const codesOf = ({ diagnostics }: Awaited<ReturnType<typeof load>>) => diagnostics.map(({ code }) => code);

  test("may contain half a megabyte of comments and spaces", async () => {
    for (const piece of ["{{!}}", "{{!}}\n", `${" ".repeat(50)}{{!}}`, " ".repeat(50)]) {
      const { manifest, diagnostics } = await loadFiles({
        "main.md": `${piece.repeat(500_000 / piece.length)}b{{v}}`,
      });
      expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
      const text = piece
        .replaceAll("{{!}}", "")
        .replace("\r", "")
        .repeat(500_000 / piece.length);
      expect(manifest?.declarations[0]?.spec.prompt === `${piece === "{{!}}\n" ? "" : text}bV0`).toBe(true);
    }
  });

  test.each([
    [
      "a partial thousands of times",
      { "main.md": "{{v}}{{> p}}".repeat(10_000), "parts/p.md": "x".repeat(100_000) },
    ],
    [
      "indented lines",
      { "main.md": `{{v}}\n${" {{> p}}\n".repeat(1000)}`, "parts/p.md": "x\n".repeat(50_000) },
    ],
    [
      "a huge indentation",
      { "main.md": `{{v}}\n${" ".repeat(100_000)}{{> p}}\n`, "parts/p.md": "x\n".repeat(50_000) },
    ],
    [
      "partials that each include the next partial twice",
      {
        "main.md": "{{v}}{{> p0}}",
        ...Object.fromEntries(
          Array.from({ length: 49 }, (_, i) => [
            `parts/p${i}.md`,
            i < 48 ? `{{> p${i + 1}}}{{> p${i + 1}}}` : "x",
          ]),
        ),
      },
    ],
    ["megabytes of tags", { "main.md": "{{v}}".repeat(800_000) }],
    ["arguments", { "main.md": `{{v}}{{> p ${repeatText(500_000, (i) => `a${i}=v `)}}}`, "parts/p.md": "x" }],
    ["values", { "main.md": `{{v}}{{> p a="${"x".repeat(100_000)}"}}`, "parts/p.md": "{{a}}".repeat(1000) }],
  ])("are rejected if they expand too much: %s", async (_, files) => {
    expect(codesOf(await loadFiles(files as Record<string, string>))).toContain("template-size");
  });

  test("are rejected if only their combined expansion is too large", async () => {
    const files = { "main.md": "{{v}}{{> p}}".repeat(30), "parts/p.md": "x".repeat(100_000) };
    expect(codesOf(await loadFiles(files))).toEqual([]);
    expect(codesOf(await loadFiles(files, 30))).toContain("template-size");
  });

  test("may nest partials up to 50 levels deep", async () => {
    const chain = (length: number) =>
      Object.fromEntries(
        Array.from({ length }, (_, i) => [`parts/p${i}.md`, i + 1 < length ? `{{> p${i + 1}}}` : "{{v}}"]),
      );
    const { manifest } = await loadFiles({ "main.md": "{{> p0}}", ...chain(50) });
    expect(manifest?.declarations[0]?.spec.prompt).toBe("V0");
    expect(codesOf(await loadFiles({ "main.md": "{{> p0}}", ...chain(1000) }))).toContain("partial-depth");
  });
});

test.each(["the manifest", "a prompt"])("rejects %s of 100 MB without reading the file", async (what) => {
  const cwd = createProjectFolder({ "avatarops.yaml": "contexts: { a: { name: A, prompt: !file p.md } }\n" });
  const file = what === "a prompt" ? "p.md" : "avatarops.yaml";
  ftruncateSync(openSync(path.join(cwd, file), "w"), 100_000_000);
  const { diagnostics } = await loadManifest({ allowCode: true, cwd });
  expect(diagnostics).toMatchObject([
    {
      code: "file-too-large",
      message: `${file} is larger than 16 MB`,
      hint: "choose another file, or split it and include the parts",
    },
  ]);
});

test("accepts a prompt of 10 MB", async () => {
  const { manifest, diagnostics } = await load(
    `contexts: { a: { name: A, prompt: ${"x".repeat(10_000_000)} } }\n`,
  );
  expect(manifest?.declarations[0]?.spec.prompt).toHaveLength(10_000_000);
  expect(diagnostics).toEqual([]);
});

test("redacts a secret's value in broken YAML up to the next key at the same level", () => {
  const piece = fc.constantFrom(
    " ",
    "  ",
    "-",
    "api_key",
    "secret_value",
    ":",
    "\n",
    "\n",
    "a",
    "a:",
    '"',
    "x",
    "\t",
  );
  /** Returns the end of a value as computed by an earlier implementation. Redaction must reach at least that far. */
  const endOfValue = (text: string, from: number) => {
    const lineStart = text.lastIndexOf("\n", from) + 1;
    const depth = /^[ \t]*/.exec(text.slice(lineStart, from))?.[0].length ?? 0;
    const nextKey = new RegExp(`\\n[ \\t-]{0,${depth}}["']?[\\w.-]+["']?[ \\t]*:`, "g");
    nextKey.lastIndex = from;
    return nextKey.exec(text)?.index ?? text.length;
  };
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join("");
      const collector = createCollector();
      const source = openSourceFile("a.yaml", text);
      redactSecretLines({ source, at: "yaml", start: 0, end: text.length }, collector);
      const hidden = collector.redacted.get(source) ?? [];
      for (const { index, 0: found } of text.matchAll(/\b(?:api_key|secret_value)\b["']?[ \t]*:/g)) {
        const at = index + found.length;
        const end = hidden.find((range) => range.start <= at && range.end >= at)?.end ?? -1;
        expect(end).toBeGreaterThanOrEqual(endOfValue(text, index));
        // Redaction must stop at the next plain key.
        const plain = /\n[a-z]+:/g;
        plain.lastIndex = index;
        expect(end).toBeLessThanOrEqual(plain.exec(text)?.index ?? text.length);
      }
    }),
    { numRuns: scaleRuns(1000) },
  );
});
