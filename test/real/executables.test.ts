// @module-tag night
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { newWorkspace } from "../../packages/terraform-plugin/test/terraform.js";
import { platforms } from "../../scripts/executables/platforms.js";
import { tools } from "../../scripts/tools.js";
import { startEmulator } from "../../src/emulator/index.js";
import { listPages } from "../../src/entrypoints/cli/manual-pages.js";
import { selfSigned } from "../emulator/self-signed.js";
import { startTeam } from "../sync/team.js";
import { makeCliConfig, requirement } from "../terraform/package/installed.js";
import { bareSystem, makeBareSystem } from "./bare-system.js";
import { readSignature } from "./mach-o.js";

/*
 * Inspects a release with other tools (unzip, sha256sum, terraform) and starts its programs on systems without
 * Node.
 */

const version = "1.2.3-rc.1";
const provider = `terraform-provider-avatarops_${version}`;
const canBuild = process.platform === "linux" && process.arch === "x64";
/**
 * Whether the arm64 compiler (package `gcc-aarch64-linux-gnu`) is installed. Without it, no arm64 executable is built.
 */
const hasArm64 = spawnSync("aarch64-linux-gnu-gcc", ["--version"]).status === 0;
const names = platforms.map(({ name }) => name).filter((name) => hasArm64 || name !== "linux-arm64");
const run = promisify(execFile);
let folder: string;
let printed: string;
/** Folders with two builds of the same release. */
let [first, second]: string[] = [];
let executable: string;

beforeAll(async () => {
  if (!canBuild) return;
  folder = await mkdtemp(path.join(tmpdir(), "avatarops-executables-"));
  [first, second] = ["first", "second"].map((name) => path.join(folder, name, "release"));
  executable = path.join(folder, "first/executables/linux-x64/avatarops");
  printed = await release("first", "UTC");
  await release("second", "Asia/Tokyo");
}, 900_000);

afterAll(() => rm(folder ?? "", { recursive: true, force: true }));

describe.skipIf(!canBuild)("release", () => {
  test("contains two archives for each platform, a protocol 6 manifest and valid checksums", async () => {
    const ofTerraform = ["darwin_arm64", "linux_amd64", "windows_amd64"];
    const archives = names.map((name) => `avatarops_${version}_${name}.zip`);
    expect(await readdir(first ?? "")).toEqual(
      expect.arrayContaining([...ofTerraform.map((name) => `${provider}_${name}.zip`), ...archives]),
    );
    expect(JSON.parse(await readFile(path.join(first ?? "", `${provider}_manifest.json`), "utf8"))).toEqual({
      version: 1,
      metadata: { protocol_versions: ["6.0"] },
    });
    const sums = (await readdir(first ?? "")).filter((name) => name.endsWith("_SHA256SUMS"));
    const { stdout } = await run("sha256sum", ["--check", ...sums], { cwd: first });
    expect(stdout.match(/: OK$/gm)?.length).toBe((await readdir(first ?? "")).length - sums.length);
    expect(printed).toContain(
      `gpg --detach-sign --local-user KEY --output "${first}/${provider}_SHA256SUMS.sig"`,
    );
  });

  test("is byte-identical if built in another folder and time zone", async () => {
    const archives = (await readdir(second ?? "")).filter((file) => !file.endsWith("SUMS"));
    // Two archives for each platform, the Debian packages, the manifest and the bill of materials.
    expect(archives).toHaveLength(names.length * 2 + (hasArm64 ? 2 : 1) + 2);
    for (const file of archives)
      expect(
        spawnSync("cmp", [path.join(first ?? "", file), path.join(second ?? "", file)]).status,
        file,
      ).toBe(0);
  });

  test("contains all licenses and an executable named as Terraform expects", async () => {
    const archive = path.join(first ?? "", `${provider}_linux_amd64.zip`);
    const { stdout } = await run("unzip", ["-Z", archive]);
    expect(stdout).toMatch(new RegExp(`^-rwxr-xr-x .* terraform-provider-avatarops_v${version}$`, "m"));
    const { stdout: licenses } = await run("unzip", ["-p", archive, "THIRD-PARTY-LICENSES.txt"]);
    for (const inside of ["Node.js", "V8", "OpenSSL", "zod ", "yaml ", "jiti ", "undici "])
      expect(licenses).toContain(inside);
  });

  test("lists its components in valid CycloneDX", async () => {
    const schemas =
      "tools/executables/node_modules/linux-x64/node_modules/@cyclonedx/cyclonedx-library/res/schema";
    const load = async (name: string) =>
      JSON.parse(await readFile(path.join(schemas, `${name}.SNAPSHOT.schema.json`), "utf8"));
    const ajv = formats.default(new Ajv({ strict: false }));
    for (const name of ["spdx", "jsf-0.82"])
      ajv.addSchema(await load(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
    ajv.addFormat("iri-reference", true).addFormat("idn-email", true);
    const validate = ajv.compile(await load("bom-1.5"));
    const listed = JSON.parse(
      await readFile(path.join(first ?? "", `avatarops_${version}.cdx.json`), "utf8"),
    );
    validate(listed);
    expect(validate.errors).toBe(null);
    expect(listed.components.map(({ name }: { readonly name: string }) => name)).toEqual(
      expect.arrayContaining(["node", "glibc", "zod", "yaml", "jiti", "undici", "@bufbuild/protobuf"]),
    );
    expect(validate({ ...listed, components: [{ name: "no type" }] })).toBe(false);
  });

  test.each(["darwin-arm64", "darwin-x64"])("has an ad-hoc signature for %s", async (name) => {
    const program = await readFile(path.join(folder, `first/executables/${name}/avatarops`));
    expect(readSignature(program)).toMatchObject({ identifier: "avatarops", isAdHoc: true, wrongPages: 0 });
    expect(readSignature(program)?.pages).toBeGreaterThan(30_000);
    program[1_000_000] = (program[1_000_000] ?? 0) ^ 1;
    expect(readSignature(program)?.wrongPages).toBe(1);
  });

  test("contains a console program for x64 Windows", async () => {
    const program = await readFile(path.join(folder, "first/executables/win32-x64/avatarops.exe"));
    const header = program.readUInt32LE(0x3c);
    expect(program.toString("latin1", header, header + 4)).toBe("PE\0\0");
    const [machine, optional, console] = [0x8664, 0x20b, 3];
    expect([4, 24, 92].map((at) => program.readUInt16LE(header + at))).toEqual([machine, optional, console]);
  });

  test.skipIf(!hasArm64)("contains a static program for arm64 Linux", async () => {
    const program = path.join(folder, "first/executables/linux-arm64/avatarops");
    const { stdout } = await run("readelf", ["--file-header", "--segments", "--dynamic", program]);
    expect([/Machine: +AArch64/.test(stdout), /INTERP|NEEDED/.test(stdout)]).toEqual([true, false]);
    // Runs the program if Debian's processor emulator is installed.
    const emulated = spawnSync("qemu-aarch64-static", [program, "--version"]);
    if (emulated.status !== null) expect(String(emulated.stdout)).toBe(`${version}\n`);
  });

  test.each(hasArm64 ? ["amd64", "arm64"] : ["amd64"])(
    "contains a self-contained Debian package for %s",
    async (arch) => {
      const debian = path.join(first ?? "", `avatarops_${version}_${arch}.deb`);
      const { stdout: fields } = await run("dpkg-deb", ["--field", debian]);
      expect(fields).toMatch(new RegExp(`^Architecture: ${arch}$[^]*^Maintainer: .* <\\S+@\\S+>$`, "m"));
      expect(fields).toContain(`Version: ${version.replace("-", "~")}\n`);
      expect(fields).not.toContain("Depends");
      const { stdout: files } = await run("dpkg-deb", ["--contents", debian]);
      expect(files).toMatch(/^-rwxr-xr-x root\/root .* \.\/usr\/bin\/avatarops$/m);
      expect(files).toContain("./usr/share/doc/avatarops/LIBRARIES-LICENSES.txt");
    },
  );

  test("rejects a version with a leading v", async () => {
    await expect(build(["--version", "v1.2.3"])).rejects.toThrow("without a leading v");
  });
});

describe.skipIf(!canBuild)("minimal Debian without settings or a network", { tags: "debootstrap" }, () => {
  let target: string;

  beforeAll(async () => {
    makeBareSystem();
    target = path.join(bareSystem, "tmp/avatarops");
    await rm(target, { recursive: true, force: true });
    await mkdir(target);
    await copyFile(executable, path.join(target, "avatarops"));
  }, 600_000);

  afterAll(() => rm(target, { recursive: true, force: true }));

  test("has neither Node nor libatomic", () => {
    expect(spawnSync("chroot", [bareSystem, "/bin/sh", "-c", "command -v node"]).status).toBe(127);
    expect(spawnSync("sh", ["-c", `ls ${bareSystem}/usr/lib/*/libatomic*`]).status).not.toBe(0);
  });

  test("runs the demo steps with the executable", async () => {
    const passed = ["AVATAROPS_BASE_URL", "AVATAROPS_API_KEY", "LLM_API_KEY"].map(
      (name) => `${name}="$${name}"`,
    );
    const start = `exec ${wrapInChroot(bareSystem)} /usr/bin/env -i -C "\${PWD#${bareSystem}}" ${passed.join(" ")} /tmp/avatarops/avatarops "$@"`;
    const program = path.join(target, "start.sh");
    await writeFile(program, `#!/bin/sh\n${start}\n`, { mode: 0o755 });
    const demo = `ip link set lo up && exec npx tsx scripts/demo.ts ${program}`;
    const { stdout } = await run("unshare", ["--net", "sh", "-c", demo], {
      env: { ...process.env, TMPDIR: target },
    });
    expect(stdout).toContain("The demo completed as expected.");
    const help = ["--net", "sh", program, "help"];
    for (const name of listPages()) await run("unshare", [...help, `${name}.md`], { cwd: target });
  });

  test("installs, runs and purges the Debian package", async () => {
    const debian = `avatarops_${version}_amd64.deb`;
    await copyFile(path.join(first ?? "", debian), path.join(target, debian));
    const inside = (...args: string[]) =>
      run("sh", ["-c", `exec ${wrapInChroot(bareSystem)} "$@"`, "sh", ...args], {
        env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
      });
    await inside("dpkg", "--install", `/tmp/avatarops/${debian}`);
    expect((await inside("avatarops", "--version")).stdout).toBe(`${version}\n`);
    expect((await inside("dpkg", "--listfiles", "avatarops")).stdout).toContain(
      "/usr/share/doc/avatarops/copyright",
    );
    await inside("dpkg", "--purge", "avatarops");
    await expect(inside("sh", "-c", "ls -d /usr/bin/avatarops /usr/share/doc/avatarops")).rejects.toThrow();
  });

  test("runs the executable as the provider if it has the provider's name", async () => {
    const named = `terraform-provider-avatarops_v${version}`;
    await copyFile(executable, path.join(target, named));
    const start = `exec ${wrapInChroot(bareSystem)} /tmp/avatarops/${named} --version`;
    const { stdout } = await run("sh", ["-c", start]);
    expect(stdout).toBe(`${version}\n`);
  });
});

const newer = tools["terraform-1.15"];
const cores = { "the terraform of the machine": "terraform", "a newer one": newer.path };

describe.skipIf(!canBuild)("released provider", { tags: "terraform" }, () => {
  test.each(Object.entries(cores).filter(([, program]) => program === "terraform" || newer.has()))(
    "installs, plans and applies with %s without Node on PATH",
    async (_, program) => {
      const bin = await newFolder();
      for (const name of ["terraform", "sh", "env"])
        await symlink((await run("sh", ["-c", `command -v ${name}`])).stdout.trim(), path.join(bin, name));
      await expectSettled(program, bin);
    },
  );

  test.skipIf(process.getuid?.() !== 0)(
    "runs in an empty root file system without libraries or a shell",
    async () => {
      const root = await newFolder();
      await mkdir(path.join(root, "proc"));
      await mkdir(path.join(root, tmpdir()), { recursive: true });
      await copyFile(
        (await run("sh", ["-c", "command -v terraform"])).stdout.trim(),
        path.join(root, "terraform"),
      );
      const program = path.join(root, "start.sh");
      const shared = `mount --bind ${tmpdir()} ${root}${tmpdir()} && `;
      const start = `exec ${wrapInChroot(root, shared)} /terraform -chdir="$PWD" "$@"`;
      await writeFile(program, `#!/bin/sh\n${start}\n`, { mode: 0o755 });
      await expectSettled(program, "/usr/sbin:/usr/bin:/sbin:/bin");
    },
  );
});

/** Installs the provider from its archive with the given terraform, plans and applies. */
async function expectSettled(program: string, searched: string): Promise<void> {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const mirror = await newFolder();
  const packed = path.join(mirror, "registry.terraform.io/avatarops/avatarops");
  await mkdir(packed, { recursive: true });
  const archive = `${provider}_linux_amd64.zip`;
  await cp(path.join(first ?? "", archive), path.join(packed, archive));
  const context = 'resource "avatarops_context" "desk" {\n  name   = "Desk"\n  prompt = "Be kind."\n}\n';
  const terraform = await newWorkspace({
    files: {
      "terraform.tf": requirement.replace('avatarops" }', `avatarops", version = "${version}" }`),
      "main.tf": context,
      // The archive is unpacked inside the project, so Node finds the project's package.json.
      "package.json": '{ "type": "module" }',
    },
    cliConfig: makeCliConfig(mirror),
    environment: {
      PATH: searched,
      // Simulates NODE_OPTIONS meant for the user's own programs.
      NODE_OPTIONS: "--require ./missing.cjs",
      AVATAROPS_BASE_URL: emulator.url,
      AVATAROPS_API_KEY: "test-key",
    },
    program,
  });
  expect(await terraform.succeed("init")).toContain(`Installed avatarops/avatarops v${version}`);
  await terraform.settle();
  expect(emulator.world.contexts.map(({ name }) => name)).toContain("Desk");
}

/** Returns the start of a shell command that runs with a folder as root file system and /proc mounted. */
function wrapInChroot(root: string, before = ""): string {
  return `unshare --mount sh -c '${before}mount -t proc proc ${root}/proc && exec chroot ${root} "$@"' sh`;
}

describe.skipIf(!canBuild)("released command", () => {
  const alone = { PATH: "/nonexistent", AVATAROPS_API_KEY: "test-key" };

  test("runs TypeScript projects and policy functions that use the library", async () => {
    const emulator = await startEmulator();
    onTestFinished(() => emulator.close());
    const project = await newFolder();
    await cp("examples/typescript", project, { recursive: true });
    const env = { ...alone, AVATAROPS_BASE_URL: emulator.url, TMPDIR: await newFolder() };
    expect((await run(executable, ["validate"], { cwd: project, env })).stderr).toContain("Valid: 8 objects");
    const rules = await newFolder();
    await writeFile(
      path.join(rules, "avatarops.yaml"),
      'contexts: { desk: { name: Desk, prompt: "Hello" } }\npolicies: { functions: [hello.ts, again.ts] }\n',
    );
    const rule =
      'import { loadManifest, type Policy } from "avatarops";\nconst judge: Policy = ({ changes }) => [{ message: `${typeof loadManifest} ${changes.length}` }];\nexport default judge;\n';
    for (const name of ["hello.ts", "again.ts"]) await writeFile(path.join(rules, name), rule);
    await expect(run(executable, ["plan"], { cwd: rules, env })).rejects.toMatchObject({
      stdout: expect.stringMatching(/error\[hello\] function 1[\s\S]*error\[again\] function 1/),
    });
    expect(await readdir(env.TMPDIR)).toEqual([]);
  });

  test.each(["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"])("trusts certificates from %s", async (name) => {
    const emulator = await startEmulator({ tls: selfSigned, apiKey: "test-key" });
    onTestFinished(() => emulator.close());
    const account = path.join(await newFolder(), "account");
    await writeFile(`${account}.pem`, selfSigned.cert);
    const env = { ...alone, AVATAROPS_BASE_URL: emulator.url, [name]: `${account}.pem` };
    await expect(run(executable, ["export", account], { env: { ...env, [name]: "" } })).rejects.toThrow(
      "tls",
    );
    await run(executable, ["export", account], { env });
  });

  test("follows a branch with only git on PATH", async () => {
    const team = await startTeam("include: [more.yaml]\n");
    const bin = await newFolder();
    await symlink((await run("sh", ["-c", "command -v git"])).stdout.trim(), path.join(bin, "git"));
    const desk = (prompt: string) => ({
      "more.yaml": `contexts:\n  desk: { name: Desk, prompt: ${prompt} }\n`,
    });
    const isApplied = (prompt: string) =>
      expect
        .poll(() => team.emulator.world.contexts.map((one) => one.prompt), { timeout: 60_000 })
        .toEqual([prompt]);
    await team.commit(desk("Hello"));
    const args = ["sync", "--repo", team.repository, "--listen", "127.0.0.1:0", "--interval", "1s"];
    const child = spawn(executable, args, {
      cwd: await newFolder(),
      env: { ...team.environment, PATH: bin },
      stdio: "ignore",
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await isApplied("Hello");
    await team.commit(desk("Welcome"));
    await isApplied("Welcome");
    child.kill("SIGTERM");
    expect(await once(child, "close")).toEqual([0, null]);
  });

  test("finds optional packages next to the project or explains how to install them", async () => {
    const project = await newFolder();
    await writeFile(path.join(project, "avatarops.yaml"), "state: postgres://user@127.0.0.1:1/state\n");
    const env = { ...alone, AVATAROPS_BASE_URL: "http://127.0.0.1:1", PGPASSWORD: "secret" };
    const plan = () => run(executable, ["plan"], { cwd: project, env });
    await expect(plan()).rejects.toMatchObject({
      stderr: expect.stringContaining(`Run \`npm install pg\` in ${project}`),
    });
    await symlink(path.resolve("node_modules"), path.join(project, "node_modules"));
    await expect(plan()).rejects.toMatchObject({ stderr: expect.stringMatching(/refused the connection/) });
  });

  test("explains that it cannot start with too few file descriptors", async () => {
    await expect(run("sh", ["-c", 'ulimit -n 64; exec "$0" --version', executable])).rejects.toMatchObject({
      code: 127,
      stderr:
        "avatarops: cannot create an in-memory file for a library. See memfd_create(2) and ulimit -n.\n",
    });
  });

  test("installs itself as the provider", async () => {
    const mirror = await newFolder();
    await run(executable, ["terraform", "install", "--dir", mirror], { env: { HOME: mirror } });
    const target = `registry.terraform.io/avatarops/avatarops/${version}/linux_amd64`;
    const { mode, size } = await stat(path.join(mirror, target, `terraform-provider-avatarops_v${version}`));
    expect([mode & 0o111, size]).toEqual([0o111, (await stat(executable)).size]);
  });
});

async function newFolder(): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), "avatarops-executable-"));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

async function release(name: string, zone: string): Promise<string> {
  const at = (what: string) => path.join(folder, name, what);
  const out = ["--out", at("release"), "--executables", at("executables")];
  const made = build(["--version", version, ...out, ...names.flatMap((one) => ["--platform", one])], zone);
  return (await made).stdout;
}

function build(args: readonly string[], zone = "UTC") {
  return run("npx", ["tsx", "scripts/release-executables.ts", ...args], {
    env: { ...process.env, TZ: zone },
  });
}
