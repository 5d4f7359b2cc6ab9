// @module-tag terraform
import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { toSchemaJson } from "@avatarops/terraform-plugin";
import { describe, expect, onTestFinished, test } from "vitest";
import { findRegistry, newWorkspace } from "../../../packages/terraform-plugin/test/terraform.js";
import { version } from "../../../src/base/version/index.js";
import { startEmulator } from "../../../src/emulator/index.js";
import { createProvider } from "../../../src/entrypoints/terraform/index.js";
import { selfSigned } from "../../emulator/self-signed.js";
import { makeCliConfig, mirror, newInstalled, requirement } from "./installed.js";

/*
 * Tests failures before the provider's own code runs: in the shell, in Node's module detection, and from the user's
 * environment variables. `validate` is enough, because it starts the provider to read its schema.
 */

const files = { "main.tf": 'data "avatarops_avatars" "all" {}\n' };

describe("built provider", () => {
  test("starts even if NODE_OPTIONS contains options for other programs", async () => {
    const folder = await newFolder();
    const noisy = path.join(folder, "noisy.cjs");
    await writeFile(noisy, 'console.log("hello");');
    const terraform = await newInstalled({ files, environment: { NODE_OPTIONS: `--require ${noisy}` } });
    await terraform.succeed("validate");
  });

  test("suggests NODE_EXTRA_CA_CERTS for an untrusted certificate, and connects once it is set", async () => {
    const emulator = await startEmulator({ tls: selfSigned, apiKey: "test-key" });
    onTestFinished(() => emulator.close());
    const certificate = path.join(await newFolder(), "authority.pem");
    await writeFile(certificate, selfSigned.cert);
    const environment = { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" };
    const terraform = await newInstalled({ files, environment });
    const refused = await terraform.fail("plan");
    expect(refused).toContain("The TLS connection to the service failed");
    expect(refused).toMatch(/Set NODE_EXTRA_CA_CERTS to a file with the server's CA certificate/);
    expect(refused).not.toContain("--use-system-ca");
    const trusted = await terraform.runWith({ NODE_EXTRA_CA_CERTS: certificate }, "plan");
    expect(trusted).toMatchObject({ exit: 0, stdout: expect.not.stringContaining("Warning") });
  });

  test("returns the same schema as the source code", async () => {
    const terraform = await newInstalled({ files });
    const printed = JSON.parse(await terraform.succeed("providers", "schema", "-json"));
    const source = `${findRegistry()}/avatarops/avatarops`;
    const { provider_schemas: schemas } = toSchemaJson(createProvider({ version, environment: {} }), source);
    const own = JSON.parse(JSON.stringify(schemas[source]));
    const { list_resource_schemas, action_schemas, resource_identity_schemas } = own;
    // Terraform 1.11 does not print these schemas.
    const newer = { list_resource_schemas, action_schemas, resource_identity_schemas };
    expect({ ...newer, ...printed.provider_schemas[source] }).toMatchObject(own);
  });

  test("caches compiled code in the user's cache folder, and extends the cache after a plan", async () => {
    const emulator = await startEmulator();
    onTestFinished(() => emulator.close());
    const environment = { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" };
    const terraform = await newInstalled({ files, environment });
    const caches = path.join(terraform.folder, "../home/.cache");
    await mkdir(caches);
    const readCache = async (command: string) => {
      await terraform.succeed(command);
      // Skips Node's compile cache, whose folder name starts with its version.
      const names = (await readdir(path.join(caches, "avatarops")))
        .filter((name) => !name.startsWith("v"))
        .sort();
      const found = names.map(async (name) => {
        const { size, ino, mtimeMs } = await stat(path.join(caches, "avatarops", name));
        return { name, size, ino, mtimeMs };
      });
      return Promise.all(found);
    };
    const less = await readCache("validate");
    expect(less).toHaveLength(3);
    expect(await readCache("validate")).toEqual(less);
    const all = await readCache("plan");
    expect(all).toHaveLength(less.length + 1);
    const sumSizes = (files: typeof less) =>
      less.map(({ name }) => files.find((one) => one.name === name)?.size ?? 0).reduce((a, b) => a + b);
    expect(sumSizes(all)).toBeGreaterThan(sumSizes(less));
    expect(await readCache("validate")).toEqual(all);
    expect(await readCache("plan")).toEqual(all);
  });

  test("starts from a folder with spaces and quotes in its name", async () => {
    const copied = path.join(await newFolder(), `it's "my" folder`);
    await cp(mirror, copied, { recursive: true });
    const terraform = await newInstalled({ files, cliConfig: makeCliConfig(copied) });
    await terraform.succeed("validate");
  });

  test("starts from a symlink to its launcher", async () => {
    const [folder, launcher] = [await newFolder(), `terraform-provider-avatarops_v${version}`];
    await symlink(path.join(mirror, "package", launcher), path.join(folder, launcher));
    const cliConfig = `provider_installation {\n  dev_overrides {\n    "avatarops/avatarops" = ${JSON.stringify(folder)}\n  }\n}\n`;
    const terraform = await newWorkspace({ files: { "terraform.tf": requirement, ...files }, cliConfig });
    await terraform.succeed("validate");
  });

  test("reports a missing Node.js in terraform's error and suggests a fix", async () => {
    const folder = await newFolder();
    const found = execFileSync("sh", ["-c", "command -v terraform"], { encoding: "utf8" });
    await symlink(found.trim(), path.join(folder, "terraform"));
    const terraform = await newInstalled({ files, environment: { PATH: folder } });
    expect(await terraform.fail("validate")).toMatch(
      /runs on Node\.js .* no node on the PATH.*Install Node\.js/s,
    );
  });

  test("reports an outdated Node.js version in terraform's error", async () => {
    const folder = await newFolder();
    // Simulates an old Node.js by overriding `process.versions`.
    const old = 'Object.defineProperty(process, "versions", { value: { node: "18.20.8" } });';
    await writeFile(
      path.join(folder, "old.cjs"),
      `${old}Object.defineProperty(process, "version", { value: "v18.20.8" });`,
    );
    const node = `#!/bin/sh\nexec ${process.execPath} --require ${folder}/old.cjs "$@"\n`;
    await writeFile(path.join(folder, "node"), node, { mode: 0o755 });
    const terraform = await newInstalled({ files, environment: { PATH: `${folder}:${process.env.PATH}` } });
    expect(await terraform.fail("validate")).toMatch(
      /runs on Node\.js .* is v18\.20\.8.*Install a later one/s,
    );
  });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-package-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
