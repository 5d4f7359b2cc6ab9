// @module-tag ci
/*
 * Checks that patterns for untrusted text never take quadratic time. Each pattern is analyzed, and each function with
 * patterns runs on a megabyte of worst-case input, which a quadratic pattern would never finish.
 *
 * Patterns in `known-linear.txt` are analyzed only by the nightly run (`npm run test:real`), which rewrites that file. CI
 * analyzes only new patterns.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { transformSync } from "esbuild";
import { check } from "recheck";
import recheck from "recheck/package.json" with { type: "json" };
import { beforeAll, describe, expect, test } from "vitest";
import { parseAst } from "vitest/node";
import { isLong } from "../real/long.js";
import type { Built } from "./built.js";
import { worstCases } from "./worst-cases.js";

interface Written {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

/** All source files, with their patterns and whether they build more patterns at run time. */
const files = ["src", "packages/terraform-plugin/src"]
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => path.join(folder, file)),
  )
  .filter(
    (file) => file.endsWith(".ts") && !file.startsWith(path.join("src", "entrypoints", "cdktf", "generated")),
  )
  .map((file) => ({ file, ...listPatterns(file) }));
const literals = files.flatMap(({ literals }) => literals);
/** Maximum time without output. Even a slow machine prints something within ten minutes. */
const patienceMs = 600_000;

function listPatterns(file: string): { literals: Written[]; builds: boolean } {
  const { code } = transformSync(readFileSync(file, "utf8"), { loader: "ts" });
  const literals: Written[] = [];
  let builds = false;
  const walk = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    if ("regex" in node && node.regex) {
      const { pattern, flags } = node.regex as { pattern: string; flags: string };
      literals.push({ file, source: pattern, flags });
      return;
    }
    const { type, callee } = node as { type?: unknown; callee?: { name?: unknown } };
    if ((type === "NewExpression" || type === "CallExpression") && callee?.name === "RegExp") builds = true;
    for (const inner of Object.values(node)) walk(inner);
  };
  walk(parseAst(code));
  return { literals, builds };
}

const list = path.join(import.meta.dirname, "known-linear.txt");
const known = new Set(isLong ? [] : readFileSync(list, "utf8").split("\n"));
/** Patterns that this run found to be linear. */
const found = new Set<string>();

/** Returns a digest that includes the analyzer's version, because results may differ between versions. */
function computeDigest({ source, flags }: Written): string {
  const text = JSON.stringify([recheck.version, source, flags]);
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/** Analyzer limits in steps, which do not depend on the machine's load. */
const stepsAlone = { timeout: null, attackTimeout: null, incubationTimeout: null, seedingTimeout: null };

/** Describes a pattern whose match time is superlinear in the text length or unknown. */
async function describeIssue(pattern: Written): Promise<string[]> {
  const digest = computeDigest(pattern);
  if (known.has(digest) || found.has(digest)) return [];
  const { file, source, flags } = pattern;
  const result = await check(source, flags, stepsAlone);
  if (result.status === "safe") {
    found.add(digest);
    return [];
  }
  const how = result.status === "vulnerable" ? result.complexity.summary : "of unknown cost";
  return [`${file}: /${source}/${flags} is ${how}`];
}

async function listComplaints(patterns: readonly Written[]): Promise<string[]> {
  const complaints: string[] = [];
  for (const pattern of patterns) complaints.push(...(await describeIssue(pattern)));
  return complaints;
}

test(
  "detects regular expressions that take more than linear time",
  async () => {
    const quadratic = ["<title[^>]*>", "\\/+$", "^-+|-+$", "^(\\w+\\s?)*$"];
    const complaints = await listComplaints(quadratic.map((source) => ({ file: "here", source, flags: "" })));
    expect(complaints).toHaveLength(quadratic.length);
  },
  patienceMs,
);

test(
  "finds only linear-time regular expressions in the source code",
  async () => {
    expect(literals.length).toBeGreaterThan(100);
    expect(await listComplaints(literals)).toEqual([]);
  },
  patienceMs,
);

describe("functions that read untrusted text", { tags: "night" }, () => {
  let recorded: { begun: string[]; built: readonly Built[] };
  beforeAll(async () => {
    recorded = await recordRun();
  }, patienceMs);

  test("process a megabyte of worst-case input in reasonable time", () => {
    expect(recorded.begun).toEqual(Object.keys(worstCases));
    expect(recorded.built).not.toEqual([]);
  });

  test(
    "build only linear-time regular expressions at run time",
    async () => {
      const building = files.filter(({ builds }) => builds).map(({ file }) => file);
      expect([...new Set(recorded.built.map(({ file }) => file))].sort()).toEqual(
        expect.arrayContaining(building),
      );
      expect(await listComplaints(recorded.built)).toEqual([]);
    },
    patienceMs,
  );
});

test("saves the nightly analysis results for later runs", { tags: "night" }, () => {
  expect(found.size).toBeGreaterThan(100);
  writeFileSync(
    list,
    [...found]
      .toSorted()
      .map((digest) => `${digest}\n`)
      .join(""),
  );
});

async function recordRun(): Promise<{ begun: string[]; built: readonly Built[] }> {
  const child = spawn(process.execPath, ["--import", "tsx", "test/patterns/run.ts"], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: patienceMs / 2,
    killSignal: "SIGKILL",
  });
  let text = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) text += chunk;
  const lines = text.split("\n").filter(Boolean);
  const heard = lines.map((line) => JSON.parse(line) as { begun?: string; built?: readonly Built[] });
  return {
    begun: heard.flatMap(({ begun }) => begun ?? []),
    built: heard.flatMap(({ built }) => built ?? []),
  };
}
