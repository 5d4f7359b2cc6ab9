// @module-tag night
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import ownPackage from "../../package.json" with { type: "json" };
import { tools } from "../../scripts/tools.js";
import { packInto } from "../installing.js";

/*
 * Packs the package, installs it into an empty folder with the CDK libraries, compiles it with common compilers and
 * settings, and runs it.
 */

const repository = path.resolve(import.meta.dirname, "../..");
const packages = path.join(tools.cdktf.path, "node_modules");
let folder: string;
let archive: string;

describe("installed package", { tags: "cdktf" }, () => {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "avatarops-consumer-"));
    archive = await packInto(folder);
    await write("package.json", JSON.stringify({ name: "consumer", private: true }));
    const { cdktf, cdktn, "@types/node": node } = ownPackage.devDependencies;
    const others = [`cdktf@${cdktf}`, `cdktn@${cdktn}`, `@types/node@${node}`];
    await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", archive, ...others]);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("has types for every module resolution mode", async () => {
    const attw = path.join(packages, ".bin/attw");
    // Only `cdktf` and `cdktn` are CommonJS, because CDKTF projects use it. All other entry points are ES modules.
    await run(attw, [archive, "--profile", "esm-only"]);
    await run(attw, [archive, "--entrypoints", "cdktf", "cdktn"]);
  });

  describe.each(["cdktf", "cdktn"])("avatarops/%s", (flavor) => {
    test.each([
      [
        "CommonJS",
        "cjs",
        `const { App, TerraformStack } = require("${flavor}"); const ours = require("avatarops/${flavor}");`,
      ],
      [
        "modules",
        "mjs",
        `import { App, TerraformStack } from "${flavor}"; import * as ours from "avatarops/${flavor}";`,
      ],
    ])("can be imported from %s", async (_, extension, imports) => {
      await write(`use.${extension}`, `${imports}\n${use}`);
      const made = JSON.parse(await run("node", [`use.${extension}`]));
      expect(Object.values(made.resource.avatarops_context)).toMatchObject([{ name: "Desk" }]);
    });
  });

  describe.each(compilers)("for %s", (_, tsc) => {
    // Compiles both libraries at once, because checking their types takes most of the time.
    test("provides types for CommonJS and ES module projects", async () => {
      for (const [project, settings] of Object.entries(projects)) {
        for (const flavor of ["cdktf", "cdktn"]) {
          await write(`${project}/${flavor}/main.ts`, typed.replaceAll("FLAVOR", flavor));
        }
        await write(`${project}/package.json`, JSON.stringify(settings.package));
        await write(`${project}/tsconfig.json`, JSON.stringify({ compilerOptions: settings.compiler }));
        expect(await run("node", [tsc, "--noEmit", "-p", project])).toBe("");
      }
    });

    test("compiles the examples with a user's tsconfig.json", async () => {
      for (const example of ["cdktn", "typescript"]) {
        const target = path.join(folder, "examples", example);
        await cp(path.join(repository, "examples", example), target, {
          recursive: true,
          filter: (file) => !file.endsWith(".test.ts"),
        });
      }
      await write("examples/package.json", JSON.stringify(projects.modules.package));
      await write("examples/tsconfig.json", JSON.stringify({ compilerOptions: projects.modules.compiler }));
      expect(await run("node", [tsc, "--noEmit", "-p", "examples"])).toBe("");
    });
  });

  test("loads CDKTF and Terraform modules only on request", async () => {
    await write(
      "spy.mjs",
      `import { register } from "node:module"; register("./loaded.mjs", import.meta.url);`,
    );
    await write(
      "loaded.mjs",
      `import { appendFileSync } from "node:fs";
       export async function load(url, context, next) { appendFileSync("loaded.txt", url + "\\n"); return next(url, context); }`,
    );
    await write("import.mjs", `import "avatarops";`);
    await run("node", ["--import", "./spy.mjs", "import.mjs"]);

    const loaded = (await readFile(path.join(folder, "loaded.txt"), "utf8")).split("\n");
    expect(loaded.filter((url) => /\/avatarops\/dist\/index\.js$/.test(url))).toHaveLength(1);
    expect(loaded.filter((url) => /cdkt[fn]|terraform|protobuf|grpc|http2/.test(url))).toEqual([]);
  });
});

/** Compiler names and programs. */
const compilers = [
  ["TypeScript 5.9", path.join(packages, "typescript/bin/tsc")],
  [
    `TypeScript ${ownPackage.devDependencies.typescript}`,
    path.join(repository, "node_modules/typescript/bin/tsc"),
  ],
] as const;

const strict = {
  strict: true,
  noImplicitOverride: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  types: ["node"],
};

const projects = {
  /** The settings that `cdktf init` writes, but with type checks of declaration files. */
  template: {
    package: { type: "commonjs" },
    compiler: { ...strict, module: "CommonJS", target: "ES2022", lib: ["ES2022"], esModuleInterop: true },
  },
  modules: {
    package: { type: "module" },
    compiler: {
      ...strict,
      module: "NodeNext",
      target: "ES2023",
      lib: ["ES2023"],
      verbatimModuleSyntax: true,
      erasableSyntaxOnly: true,
    },
  },
};

const use = `
const stack = new TerraformStack(new App({ context: { targetVersions: { terraform: ">=1.11.0" } } }), "stack");
new ours.AvataropsProvider(stack, "account");
new ours.Context(stack, "desk", { name: "Desk", prompt: "You help \${name}." });
console.log(JSON.stringify(stack.toTerraform()));
`;

const typed = `
import { Avatar, AvataropsProvider, Context, type ContextLinks, ContextResource, type ContextResourceConfig, DataAvataropsContext, DataAvataropsVoice, type ISecret, Secret } from "avatarops/FLAVOR";
import { App, TerraformStack, TerraformVariable } from "FLAVOR";
import { Construct } from "constructs";

export class Desk extends Construct {
  readonly key: ISecret;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const found = new DataAvataropsContext(this, "found", { name: "Desk" });
    new Context(this, "desk", { name: found.name, prompt: "You help.", links: [{ url: "https://example.com" }] });
    const key = new TerraformVariable(this, "key", { sensitive: true });
    const secret = new Secret(this, "llm", { secretName: "llm", secretType: "LLMPROVIDER_API_KEY", secretValue: key.stringValue });
    secret.resource.addOverride("secret_name", "other");
    this.key = secret;
    new Avatar(this, "host", { id: "an-id", dependsOn: [secret.resource], lifecycle: { preventDestroy: true } });
    const links: ContextLinks[] = [{ url: "https://example.com/faq" }];
    const config: ContextResourceConfig = { name: "Bare", prompt: "You help.", links };
    const bare: ContextResource = new Context(this, "bare", config).resource;
    new ContextResource(this, "binding", { ...config, name: bare.name });
    new DataAvataropsVoice(this, "voice", { name: "Narrator" });
    // @ts-expect-error a context has a prompt
    new Context(this, "mute", { name: "Mute" });
  }
}

export async function main(): Promise<void> {
  const app = new App();
  const stack = new TerraformStack(app, "stack");
  new AvataropsProvider(stack, "account", { requestsPerSecond: 5 });
  app.synth();
}
`;

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
  await writeFile(path.join(folder, file), text);
}

/** Runs a program and returns its stdout. */
async function run(program: string, args: readonly string[], where = folder): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd: where });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(" ")} failed: ${stdout}${stderr}`, { cause: error });
  }
}
