// @module-tag ci
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import ownPackage from "../package.json" with { type: "json" };
import pluginPackage from "../packages/terraform-plugin/package.json" with { type: "json" };
import { findInline, findPassages } from "../scripts/docs/passages.js";
import { version } from "../src/base/version/index.js";
import { createEmptyDataset, startEmulator } from "../src/emulator/index.js";
import { repository as address, listLinks, resolvesLink } from "./docs/markdown.js";
import { adaptInstallLine, execute, packInto } from "./installing.js";

/* Packs the package with dist from the last build, installs it in an empty folder, and tests it there. */

const repository = path.resolve(import.meta.dirname, "..");
const provider = `plugins/registry.terraform.io/avatarops/avatarops/${version}`;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "avatarops-package-"));
  await write("package.json", JSON.stringify({ name: "consumer", private: true }));
  await run("bash", [
    "-ec",
    adaptInstallLine(
      findInline("docs/configuration.md", "npm install --save-dev ../avatarops"),
      await packInto(folder),
    ),
  ]);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("installed package's command", () => {
  test("prints the version", async () => {
    expect(await run("npx", ["avatarops", "--version"])).toBe(`${version}\n`);
  });

  test("validates a project", async () => {
    await write("project/avatarops.yaml", "contexts:\n  desk: { name: Desk, prompt: You help. }\n");
    const validated = await run("npx", ["avatarops", "validate", "--format", "json"], "project");
    expect(JSON.parse(validated)).toMatchObject({ format: "avatarops/diagnostics", valid: true });
  });

  test("prints the packaged schema", async () => {
    await write(
      "schema.mjs",
      `import schema from "avatarops/avatarops.schema.json" with { type: "json" };
       console.log(JSON.stringify(schema));`,
    );
    const shipped = JSON.parse(await run("node", ["--no-warnings", "schema.mjs"]));
    expect(JSON.parse(await run("npx", ["avatarops", "generate", "schema"]))).toEqual(shipped);
  });
});

test("depends on no package at an exact version", () => {
  const { dependencies, peerDependencies } = ownPackage;
  const exact = Object.entries({ ...dependencies, ...peerDependencies }).filter(([, range]) =>
    /^\d/.test(range),
  );
  expect(exact).toEqual([]);
});

test("type-checks and validates a TypeScript project with the installed package", async () => {
  await cp("examples/typescript", path.join(folder, "typed"), { recursive: true });
  const validated = await run("npx", ["avatarops", "validate", "--format", "json"], "typed");
  expect(JSON.parse(validated)).toMatchObject({ valid: true });
  await write("typed/wrong.ts", "const wrong: number = 'text';\nvoid wrong;\n");
  expect(await listTypeErrors("typed")).toEqual(["typed/wrong.ts(1,7): error TS2322"]);
});

test("type-checks a new TypeScript project with the installed package", async () => {
  await run("npx", ["avatarops", "init", "--typescript", "begun"]);
  const { devDependencies } = JSON.parse(await readFile(path.join(folder, "begun/package.json"), "utf8"));
  expect(devDependencies.avatarops).toBe(`^${version}`);
  await write("begun/wrong.ts", 'import { Context } from "avatarops";\nvoid new Context();\n');
  expect(await listTypeErrors("begun")).toEqual(["begun/wrong.ts(2,6): error TS2554"]);
});

describe("installed package's README", () => {
  test("links to existing repository files and to its own headings", async () => {
    const readme = await readFile(path.join(folder, "node_modules/avatarops/README.md"), "utf8");
    const targets = listLinks(readme);
    expect(targets.length).toBeGreaterThan(15);
    // Relative links would break, because the README is installed alone.
    expect(targets.filter((target) => !/^(#|https:)/.test(target))).toEqual([]);
    expect(targets.filter((target) => !resolvesLink("README.md", target))).toEqual([]);
  });

  test("names the same repository as package.json", () => {
    const { homepage, bugs, repository: source } = ownPackage;
    expect(source.url).toBe(`git+${address}.git`);
    expect(address).toMatch(/^https:/);
    expect({ homepage, bugs }).toEqual({ homepage: `${address}#readme`, bugs: { url: `${address}/issues` } });
  });
});

describe("installed package's Terraform provider", () => {
  test("is installed by `terraform install`, and the package contains only one copy of it", async () => {
    const installed = await run("npx", ["avatarops", "terraform", "install", "--dir", "plugins"]);
    expect(installed).toContain(`version = "${version}"`);
    const [mine = ""] = await readdir(path.join(folder, provider));
    const launcher = path.join(folder, provider, mine, `terraform-provider-avatarops_v${version}`);
    // The provider prints its version when started directly.
    expect(await run(launcher, ["--version"])).toBe(`${version}\n`);
    expect(await readdir(path.join(folder, "node_modules/avatarops/dist/terraform"))).toEqual(["package"]);
  });
});

describe("plugin protocol package", () => {
  test("has the same version and Node range as avatarops", () => {
    const { version, engines, license } = pluginPackage;
    expect({ version, engines, license }).toEqual({
      version: ownPackage.version,
      engines: ownPackage.engines,
      license: ownPackage.license,
    });
  });

  test("is bundled instead of being a dependency", async () => {
    const installed = path.join(folder, "node_modules/avatarops");
    const files = await readdir(installed, { recursive: true });
    const programs = files.filter((file) => /\.(?:[cm]?js|d\.[cm]?ts)$/.test(file));
    expect(programs.length).toBeGreaterThan(100);
    const texts = programs.map(async (file) => ({
      file,
      text: await readFile(path.join(installed, file), "utf8"),
    }));
    const asking = (await Promise.all(texts)).filter(({ text }) => text.includes(`"${pluginPackage.name}"`));
    expect(asking.map(({ file }) => file)).toEqual([]);
    expect(await readdir(path.join(folder, "node_modules"))).not.toContain("@avatarops");
  });
});

describe("installed package's library", () => {
  test("plans and applies as described in docs/library.md", async () => {
    const { url, world, close } = await startEmulator({ world: createEmptyDataset() });
    onTestFinished(close);
    vi.stubEnv("AVATAROPS_BASE_URL", url);
    vi.stubEnv("AVATAROPS_API_KEY", "test-key");
    await write("avatarops.yaml", "contexts:\n  desk: { name: Desk, prompt: You help. }\n");
    const [, operations = ""] = findPassages("docs/library.md", "ts");
    await write("embed.mjs", operations);
    const results = async () => JSON.parse(await run("node", ["embed.mjs"])).results;
    expect(await results()).toMatchObject([{ address: "context.desk", action: "create", status: "applied" }]);
    expect(world.contexts.map(({ name }) => name)).toEqual(["Desk"]);
    expect(await results()).toEqual([]);
  });

  test("can be required from CommonJS", async () => {
    await write(
      "require.cjs",
      `Promise.all([import("avatarops"), import("avatarops/emulator")]).then(([library, emulator]) =>
         console.log(typeof library.applyProject, typeof emulator.startEmulator));`,
    );
    expect(await run("node", ["require.cjs"])).toBe("function function\n");
  });

  test("has types that compile under strict settings", async () => {
    await write("consumer.mts", typed);
    await write("avatarops.config.ts", findPassages("docs/configuration.md", "ts")[0] ?? "");
    const tsc = path.join(repository, "node_modules/typescript/bin/tsc");
    // Uses the repository's Node types. Consumers install their own.
    const types = ["--typeRoots", path.join(repository, "node_modules/@types"), "--types", "node"];
    const strict = ["--strict", "--exactOptionalPropertyTypes", "--module", "nodenext", "--target", "es2023"];
    const options = ["--noEmit", ...oneChecker, ...strict, ...types];
    expect(await run("node", [tsc, ...options, "consumer.mts", "avatarops.config.ts"])).toBe("");
  });
});

const typed = `
  import { createRuntime, loadManifest, type Manifest, type Plan, renderText, toPlanDocument } from "avatarops";
  import { type Emulator, startEmulator } from "avatarops/emulator";
  const emulator: Emulator = await startEmulator({ port: 0 });
  const loaded: { readonly manifest?: Manifest | undefined } = await loadManifest({ cwd: ".", allowCode: true });
  export const runtime = createRuntime({ cwd: ".", allowCode: true, environment: { AVATAROPS_BASE_URL: emulator.url } });
  export const shown = (plan: Plan): string => renderText(toPlanDocument(plan), { color: false, width: 80 });
  // @ts-expect-error file must be a string
  createRuntime({ cwd: ".", allowCode: true, options: { file: 1, loaded } });
`;

/** Keeps tsc from checking shared types once per thread, which takes twice the processor time. */
const oneChecker = ["--checkers", "1"];

/** Type-checks a project. Returns the location and number of each error. */
async function listTypeErrors(project: string): Promise<readonly string[]> {
  const packages = path.join(repository, "node_modules");
  const tsc = [`${packages}/typescript/bin/tsc`, "-p", project, "--typeRoots", `${packages}/@types`];
  const { stdout } = await execute("node", [...tsc, ...oneChecker, "--pretty", "false"], { cwd: folder });
  return stdout.match(/^\S.*?error TS\d+/gm) ?? [];
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
  await writeFile(path.join(folder, file), text);
}

/** Runs a program and returns its stdout. `where` is absolute or relative to the consumer's folder. */
async function run(program: string, args: readonly string[], where = "."): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd: path.resolve(folder, where) });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(" ")} failed: ${stdout}${stderr}`, { cause: error });
  }
}
