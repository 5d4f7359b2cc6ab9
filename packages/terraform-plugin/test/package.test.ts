import { execFile, spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import ownPackage from "../package.json" with { type: "json" };
import { newWorkspace, registryFor, type Workspace } from "./terraform.js";

/*
 * The package as somebody gets it who installs it: packed, installed into an empty project, and used as the README says.
 * It is packed from dist, as the last build left it. What the README installs beside it is borrowed from the repository.
 */

const root = path.resolve(import.meta.dirname, "../../..");
const readme = await readFile(path.resolve(import.meta.dirname, "../README.md"), "utf8");
let project: string;

beforeAll(async () => {
  project = await mkdtemp(path.join(tmpdir(), "terraform-plugin-"));
  await write("package.json", JSON.stringify({ name: "notes", private: true, type: "module" }));
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", project];
  await run("npm", [...pack, "--workspace", ownPackage.name], root);
  const archive = `./avatarops-terraform-plugin-${ownPackage.version}.tgz`;
  await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", archive]);
  await mkdir(path.join(project, "node_modules/.bin"), { recursive: true });
  await symlink(
    path.join(root, "node_modules/esbuild/bin/esbuild"),
    path.join(project, "node_modules/.bin/esbuild"),
  );
  const [provider = "", ...others] = blocks("ts");
  // OpenTofu looks elsewhere for a provider whose address has no host.
  await write("provider.ts", provider.replace("registry.terraform.io", registryFor()));
  for (const [at, text] of others.entries()) await write(`example-${at}.ts`, `${prelude(text)}${text}`);
  const [, ...build] = (blocks("sh")[0] ?? "").trim().split("\n");
  for (const line of build) await run("bash", ["-ec", line]);
});

afterAll(() => rm(project, { recursive: true, force: true }));

describe("the installed package", () => {
  test("holds what is to be published, and no source", async () => {
    const installed = path.join(project, "node_modules", ownPackage.name);
    expect((await readdir(installed)).sort()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
    const library = await run("node", [
      "--input-type=module",
      "--eval",
      `import * as plugin from "${ownPackage.name}"; console.log(Object.keys(plugin).sort().join(" "));`,
    ]);
    expect(library.trim().split(" ")).toEqual([
      "Decimal",
      "Dynamic",
      "FunctionError",
      "Unknown",
      "definitionsFor",
      "processHost",
      "providerServer",
      "schemaBytes",
      "schemaJson",
      "schemaProblems",
      "serve",
      "serveDebug",
      "servePlugin",
      "startDebugServer",
    ]);
  });

  test("has types with which every example of the README compiles", async () => {
    const strict = ["--strict", "--exactOptionalPropertyTypes", "--module", "nodenext", "--target", "es2023"];
    const types = ["--typeRoots", path.join(root, "node_modules/@types"), "--types", "node"];
    const files = (await readdir(project)).filter((file) => file.endsWith(".ts"));
    expect(files.length).toBeGreaterThan(3);
    const tsc = path.join(root, "node_modules/typescript/bin/tsc");
    expect(await run("node", [tsc, "--noEmit", ...strict, ...types, ...files])).toBe("");
  });
});

describe("the provider of the README", () => {
  test("has no more than 40 lines", () => {
    expect(blocks("ts")[0]?.trim().split("\n").length).toBeLessThanOrEqual(40);
  });

  test("is planned, applied, settled, changed and destroyed by Terraform", {
    tags: "terraform",
  }, async () => {
    const terraform = await start({
      cliConfig: (blocks("hcl")[0] ?? "").replace("/home/me/notes/bin", path.join(project, "bin")),
    });
    expect(await terraform.succeed("plan")).toContain("1 to add, 0 to change, 0 to destroy");
    await terraform.settle();
    expect(await note(terraform)).toBe("Hello");
    await terraform.write({ "main.tf": configuration.replace('"Hello"', '"Hello again"') });
    expect(await terraform.settle()).toContain("0 added, 1 changed, 0 destroyed");
    expect(await note(terraform)).toBe("Hello again");
    await writeFile(path.join(terraform.folder, "hello.txt"), "Somebody else's");
    expect(await terraform.succeed("plan")).toContain("Somebody else's");
    await terraform.succeed("destroy", "-auto-approve");
    await expect(note(terraform)).rejects.toThrow("ENOENT");
  });

  test("is used in its own process where it was started with --debug", { tags: "terraform" }, async () => {
    const provider = spawn("node", ["bin/terraform-provider-notes.mjs", "--debug"], {
      cwd: project,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = new Promise((resolve) => provider.on("close", resolve));
    onTestFinished(async () => {
      provider.kill("SIGINT");
      await ended;
    });
    const { value = "" } = await createInterface(provider.stdout)[Symbol.asyncIterator]().next();
    const [, reattach = ""] = /^export TF_REATTACH_PROVIDERS='(.*)'$/.exec(value) ?? [];
    const terraform = await start({ environment: { TF_REATTACH_PROVIDERS: reattach } });
    await terraform.settle();
    // In the folder that this process runs in, and not in Terraform's.
    expect(await readFile(path.join(project, "hello.txt"), "utf8")).toBe("Hello");
  });

  test("says what it is when it is run by hand", async () => {
    const program = path.join(project, "bin/terraform-provider-notes.mjs");
    await chmod(program, 0o755);
    await expect(run(program, [])).rejects.toThrow("This is a Terraform provider.");
  });
});

const configuration = blocks("terraform")[0] ?? "";

function start(options: Omit<Parameters<typeof newWorkspace>[0], "files">): Promise<Workspace> {
  return newWorkspace({ files: { "main.tf": configuration }, ...options });
}

function note({ folder }: Workspace): Promise<string> {
  return readFile(path.join(folder, "hello.txt"), "utf8");
}

/** The README's fenced blocks in one language. */
function blocks(language: string): string[] {
  const fences = readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"));
  return Array.from(fences, ([, text = ""]) => text);
}

/** What an example takes from those before it: a fragment is a module without its imports. */
function prelude(text: string): string {
  if (/^import /m.test(text)) return "";
  return `
    import { readdir, readFile } from "node:fs/promises";
    import { type Call, definitionsFor, FunctionError, type ProviderFunction, type Value } from "${ownPackage.name}";
    const define = definitionsFor<{ readonly folder: string }>();
    void [define, FunctionError, readdir, readFile];
    export type Used = Call | ProviderFunction | Value;
  `;
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(path.join(project, file), text);
}

/** What a program prints on stdout. */
async function run(program: string, args: readonly string[], cwd = project): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { cwd })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(" ")} failed: ${stdout}${stderr}`, { cause: error });
  }
}
