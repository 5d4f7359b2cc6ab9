import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cdktfTools, hasCommand } from "../scripts/cdktf/tools.js";
import { clientPackages, smallClients } from "../scripts/interop.js";
import { hasBrowser } from "../scripts/pictures/browser.js";
import { newerTerraform } from "../scripts/terraform/newer.js";
import { moto, postgres } from "../scripts/test-servers.js";
import { hasFish, hasScript, hasZsh } from "./cli/shell.js";
import { hasKubeconform, hasKubectl, hasPromtool, hasSystemd } from "./deploy/tools.js";
import { hasPorcupine } from "./linearizable/porcupine.js";
import { hasBareSystem } from "./real/bare-system.js";
import { hasConftest } from "./real/conftest-tool.js";
import { hasGitea } from "./real/gitea.js";
import { isLong } from "./real/long.js";
import { hasPgbouncer } from "./real/pgbouncer.js";
import { hasPromptfoo } from "./real/promptfoo.js";
import { hasSops } from "./real/sops.js";
import { hasVault } from "./real/vault.js";
import { hasVersitygw } from "./stores/s3-servers.js";

/** What tests need that may be missing, by the condition under which they are left out. */
interface Need {
  readonly what: string;
  readonly condition: string;
  readonly isThere: () => boolean;
  /** How to have it. */
  readonly remedy: string;
}

const real = "npm run test:real -- --node 24 test/real";
const cdktf = "npm run cdktf:bindings -- --check (650 MB)";

const needs: readonly Need[] = [
  {
    ...{ what: "terraform", condition: "!hasTerraform", remedy: "install terraform 1.11 or later" },
    isThere: () => spawnSync("terraform", ["version"], { stdio: "ignore" }).status === 0,
  },
  {
    ...{ what: "a newer Terraform", condition: "!withActions", isThere: newerTerraform.has },
    remedy: "npm run test:servers, on Linux x86-64 with Python",
  },
  { what: "the tools of CDKTF", condition: "!cdktfTools.has()", isThere: cdktfTools.has, remedy: cdktf },
  {
    ...{ what: "the command of CDKTF", condition: "!hasCommand(", isThere: () => hasCommand("cdktf") },
    remedy: `${cdktf}, on Node 20 or 22`,
  },
  {
    ...{ what: "the command of CDK Terrain", condition: "!hasCommand(", isThere: () => hasCommand("cdktn") },
    remedy: "npm ci --prefix tools/cdktn, on Node 22.19 or later",
  },
  {
    what: "small clients of the service, written by others",
    condition: "!isInstalled(",
    isThere: () => smallClients.every((name) => clientPackages[name]?.has()),
    remedy: "npm run test:servers",
  },
  {
    what: "moto, an imitation of AWS",
    condition: "!moto.has()",
    isThere: moto.has,
    remedy: "npm run test:servers",
  },
  { what: "PostgreSQL", condition: "!postgres.has()", isThere: postgres.has, remedy: "npm run test:servers" },
  {
    ...{ what: "kubectl", condition: "!hasKubectl", remedy: "install kubectl" },
    isThere: () => hasKubectl,
  },
  {
    ...{ what: "systemd-analyze", condition: "!hasSystemd", remedy: "install systemd" },
    isThere: () => hasSystemd,
  },
  {
    ...{ what: "Prometheus", condition: "!hasPromtool", remedy: "npm run test:servers" },
    isThere: () => hasPromtool,
  },
  {
    ...{ what: "script of util-linux", condition: "!hasScript", remedy: "install bsdutils or util-linux" },
    isThere: () => hasScript,
  },
  { what: "zsh", condition: "!hasZsh", isThere: () => hasZsh, remedy: "install zsh" },
  { what: "fish", condition: "!hasFish", isThere: () => hasFish, remedy: "install fish" },
  {
    ...{ what: "debootstrap", condition: "!hasBareSystem()", isThere: hasBareSystem },
    remedy: `install debootstrap, and ${real}, as root`,
  },
  { what: "kubeconform", condition: "!hasKubeconform()", isThere: hasKubeconform, remedy: real },
  { what: "Conftest", condition: "!hasConftest()", isThere: hasConftest, remedy: real },
  { what: "versitygw, an S3 server", condition: "!hasVersitygw()", isThere: hasVersitygw, remedy: real },
  { what: "SOPS", condition: "!hasSops()", isThere: hasSops, remedy: real },
  { what: "promptfoo", condition: "!hasPromptfoo()", isThere: hasPromptfoo, remedy: real },
  {
    ...{ what: "PgBouncer", condition: "!hasPgbouncer()", isThere: hasPgbouncer },
    remedy: `install pgbouncer, and ${real}`,
  },
  { what: "Gitea", condition: "!hasGitea()", isThere: hasGitea, remedy: real },
  {
    ...{ what: "Porcupine", condition: "!hasPorcupine()", isThere: hasPorcupine },
    remedy: "install Go, and npm run test:servers",
  },
  { what: "Vault", condition: "!hasVault()", isThere: hasVault, remedy: real },
  { what: "a run of many minutes", condition: "!isLong", isThere: () => isLong, remedy: real },
  {
    ...{ what: "Chromium", condition: "!hasBrowser()", remedy: "install chromium" },
    isThere: hasBrowser,
  },
];

const told = "AVATAROPS_TEST_LEFT_OUT_TOLD";

/** Says at the very end of a run what was not tested, where it cannot be overlooked. */
export function teardown(): void {
  // Called for each project of vitest.config.ts.
  if (process.env[told]) return;
  process.env[told] = "1";
  const missing = needs.filter(({ isThere }) => !isThere());
  if (missing.length === 0) return;
  const conditions = testFiles().map(conditionsIn);
  const rows = missing.map(({ what, condition, remedy }) => {
    const files = conditions.filter((ofFile) => ofFile.some((one) => one.includes(condition)));
    return `  ${what} (files of tests: ${files.length}): ${remedy}`;
  });
  const frame = "!".repeat(80);
  console.error(
    [
      "",
      frame,
      "Left out, wholly or in part, for want of what follows. To run them here, do what is said, and npm test again.",
      "CI runs what needs no minutes to build, and the rest at night.",
      ...rows,
      frame,
    ].join("\n"),
  );
}

function testFiles(): string[] {
  return ["test", "packages/terraform-plugin/test"]
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
    )
    .filter((file) => file.endsWith(".test.ts"));
}

/** The conditions under which a file leaves tests out. */
function conditionsIn(file: string): string[] {
  const text = readFileSync(file, "utf8");
  return Array.from(text.matchAll(/skipIf\((.*)\)\(/g), ([, condition = ""]) => condition);
}
