import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasTerraform, newWorkspace } from "../../../packages/terraform-plugin/test/terraform.js";
import { isLong } from "../../real/long.js";
import { mirroredIn, requirement } from "./installed.js";

/*
 * A release as a registry gets it, looked at with the tools of others: unzip, sha256sum, and terraform, for which the
 * archives make a packed mirror.
 */

const name = "terraform-provider-avatarops_1.2.3-rc.1";
let folder: string;
let printed: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "avatarops-release-"));
  // On two machines, as it were.
  [{ stdout: printed }] = await Promise.all([release("first", "UTC"), release("second", "Asia/Tokyo")]);
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a release", () => {
  test("has an archive a platform, the manifest of protocol 6, and sums that are right", async () => {
    const platforms = ["darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64"];
    expect((await readdir(path.join(folder, "first"))).sort()).toEqual([
      `${name}_SHA256SUMS`,
      ...platforms.map((platform) => `${name}_${platform}.zip`),
      `${name}_manifest.json`,
    ]);
    const manifest = await readFile(path.join(folder, "first", `${name}_manifest.json`), "utf8");
    expect(JSON.parse(manifest)).toEqual({ version: 1, metadata: { protocol_versions: ["6.0"] } });
    const checked = await run("sha256sum", ["--check", `${name}_SHA256SUMS`]);
    expect(checked.match(/: OK$/gm)).toHaveLength(platforms.length + 1);
  });

  test("is the same to the byte wherever it is made", async () => {
    for (const file of await readdir(path.join(folder, "first"))) {
      const [one, other] = await Promise.all(
        ["first", "second"].map((where) => readFile(path.join(folder, where, file))),
      );
      expect(other?.equals(one ?? Buffer.of()), file).toBe(true);
    }
  });

  test("has a launcher that others may run, named as terraform looks for it", async () => {
    const listed = await run("unzip", ["-Z", `${name}_linux_amd64.zip`]);
    expect(listed).toMatch(new RegExp(`^-rwxr-xr-x .* ${name.replace("_", "_v")}$`, "m"));
    expect(listed).toMatch(/^-rw-r--r-- .* provider\.cjs$/m);
  });

  test("tells how to sign it", () => {
    expect(printed).toContain(
      `gpg --detach-sign --local-user KEY --output "${folder}/first/${name}_SHA256SUMS.sig"`,
    );
  });

  const wrong = [["--version", "v1.2.3"], [], ["--version", "1.2"]];
  test.each((isLong ? wrong : wrong.slice(0, 1)).map((args) => [args]))(
    "is refused without a version as terraform writes them: %j",
    async (args) => {
      await expect(script(args, "UTC")).rejects.toThrow("--version 1.2.3`, without a leading v");
    },
  );

  test.skipIf(!hasTerraform)("is installed by terraform, and starts below a folder of modules", async () => {
    const mirror = path.join(folder, "mirror");
    const packed = path.join(mirror, "registry.terraform.io/avatarops/avatarops");
    await cp(path.join(folder, "first"), packed, { recursive: true });
    const terraform = await newWorkspace({
      files: {
        "terraform.tf": requirement.replace('avatarops" }', 'avatarops", version = "1.2.3-rc.1" }'),
        // The archive is unpacked below the project, whose package.json Node finds.
        "package.json": '{ "type": "module" }',
      },
      cliConfig: mirroredIn(mirror),
    });
    expect(await terraform.succeed("init")).toContain("Installed avatarops/avatarops v1.2.3-rc.1");
    expect(await terraform.succeed("providers", "schema", "-json")).toContain("avatarops_context");
  });
});

function release(where: string, zone: string) {
  return script(["--version", "1.2.3-rc.1", "--out", path.join(folder, where)], zone);
}

function script(args: readonly string[], zone: string) {
  return promisify(execFile)("npx", ["tsx", "scripts/release-terraform.ts", ...args], {
    env: { ...process.env, TZ: zone },
  });
}

async function run(program: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(program, args, { cwd: path.join(folder, "first") })).stdout;
}
