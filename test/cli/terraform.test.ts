import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { newWorkspace, type Workspace } from "../../packages/terraform-plugin/test/terraform.js";
import { version } from "../../src/base/version/index.js";
import { matchText, newFolder, runIn } from "./hosting.js";

const formatMirrorPath = (registry: string, platform: string) =>
  `${registry}/avatarops/avatarops/${version}/${platform}`;

describe("terraform install", () => {
  test("installs the provider for terraform and tofu and prints the required_providers entry", async () => {
    const home = await newFolder();
    const { exit, stdout, stderr } = await install(home, { platform: "darwin_arm64" });
    expect(exit).toBe(0);
    expect(stdout).toContain(`version = "${version}"`);
    const folder = path.join(home, ".terraform.d/plugins");
    expect(stderr).toEqual(matchText(`provider ${version} for darwin_arm64 in ${folder}`));
    expect((await readdir(folder)).sort()).toEqual(["registry.opentofu.org", "registry.terraform.io"]);
    for (const registry of await readdir(folder)) {
      const target = path.join(folder, formatMirrorPath(registry, "darwin_arm64"));
      expect((await stat(path.join(target, `terraform-provider-avatarops_v${version}`))).mode & 0o111).toBe(
        0o111,
      );
      // No temporary file remains.
      expect(await readdir(path.resolve(target, "../.."))).toEqual([version]);
    }
  });

  test("replaces the same version and keeps other versions", async () => {
    const home = await newFolder();
    const versions = path.join(home, ".terraform.d/plugins/registry.terraform.io/avatarops/avatarops");
    await mkdir(path.join(versions, "9.9.9/linux_amd64"), { recursive: true });
    await install(home, { platform: "linux_x64" });
    const file = path.join(versions, version, "linux_amd64/provider.cjs");
    const built = await readFile(file, "utf8");
    await writeFile(file, `${built}// Another one.\n`);
    expect(await install(home, { platform: "linux_x64" })).toMatchObject({ exit: 0 });
    expect(await readFile(file, "utf8")).toBe(built);
    expect((await readdir(versions)).sort()).toEqual([version, "9.9.9"]);
  });

  test.each([
    ["a supported system", { platform: "win32_x64" }, [], "not win32_x64"],
    ["a home folder", { environment: {} }, [], "Choose a folder with --dir"],
    ["a writable folder", {}, ["--dir", "file/plugins"], "is a file"],
  ])("fails without %s", async (_, setting, args, words) => {
    const home = await newFolder();
    await writeFile(path.join(home, "file"), "");
    const { exit, stdout, stderr } = await install(home, setting, ...args);
    expect({ exit, stdout, stderr }).toEqual({ exit: 1, stdout: "", stderr: matchText(words) });
  });
});

describe("terraform command after terraform install", { tags: "terraform" }, () => {
  test("finds the provider without configuration", async () => {
    const { terraform, home } = await startWorkspace();
    const { stdout } = await install(home);
    await terraform.write({ "versions.tf": stdout });
    expect(await terraform.succeed("init")).toContain(`Installed avatarops/avatarops v${version}`);
    await terraform.succeed("fmt", "-check");
  });
});

function install(home: string, setting: Parameters<typeof runIn>[2] = {}, ...args: string[]) {
  return runIn(home, ["terraform", "install", ...args], { environment: { HOME: home }, ...setting });
}

async function startWorkspace(): Promise<{ terraform: Workspace; home: string }> {
  const terraform = await newWorkspace({ files: {} });
  return { terraform, home: path.resolve(terraform.folder, "../home") };
}
