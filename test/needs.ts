import { spawnSync } from "node:child_process";
import { hasCommand } from "../scripts/cdktf/commands.js";
import { platforms } from "../scripts/executables/platforms.js";
import { hasBrowser } from "../scripts/pictures/browser.js";
import { tools } from "../scripts/tools.js";
import { hasBareSystem } from "./real/bare-system.js";
import { isLong } from "./real/long.js";

/**
 * Requirement of some tests besides Node, npm and git. Vitest skips tests with its tag if the requirement is missing.
 */
export interface Need {
  readonly tag: string;
  readonly what: string;
  readonly isThere: () => boolean;
  /** Installation advice. */
  readonly remedy: string;
}

const servers = "npm run test:servers";
const bindings = "npm run cdktf:bindings -- --check (650 MB)";
/** Command that also builds tools such as Gitea and Vault. */
const real = "npm run test:real";

export const needs: readonly Need[] = [
  createNeed("ci", "minutes: CI runs them for every pull request", () => true, "npm run test:ci"),
  createNeed("night", "many minutes: they run every night", () => isLong, real),
  createNeed("terraform", "terraform", hasTerraform, "install Terraform 1.11 or later"),
  createNeed(
    "newer-terraform",
    "a newer Terraform",
    () => readTestedMinor() >= 14 || tools["terraform-1.15"].has(),
    `${servers}, on Linux x86-64 with Python`,
  ),
  createNeed("cdktf", "the CDKTF tools", tools.cdktf.has, bindings),
  createNeed(
    "cdktf-command",
    "the command of CDKTF",
    () => hasCommand("cdktf"),
    `${bindings}, on Node 20 or 22`,
  ),
  createNeed(
    "cdktn-command",
    "the command of CDK Terrain",
    () => hasCommand("cdktn"),
    "npx tsx scripts/install-tools.ts cdktn, on Node 22.19 or later",
  ),
  createNeed(
    "clients",
    "clients of the service, written by others",
    () => tools.libraries.has() && tools["hypersonic-heygen"].has(),
    servers,
  ),
  createNeed("moto", "moto, an imitation of AWS", tools.moto.has, servers),
  createNeed("postgresql", "PostgreSQL", tools.postgresql.has, servers),
  createNeed("prometheus", "Prometheus", tools.prometheus.has, servers),
  createNeed("porcupine", "Porcupine", tools.porcupine.has, `install Go, and ${servers}`),
  createNeed(
    "kubectl",
    "kubectl",
    () => readOutput("kubectl", "version", "--client") !== "",
    "install kubectl",
  ),
  createNeed(
    "systemd",
    "systemd-analyze",
    () => readOutput("systemd-analyze", "--version") !== "",
    "install systemd",
  ),
  createNeed(
    "script",
    "script of util-linux",
    () => readOutput("script", "--version").includes("util-linux"),
    "install bsdutils or util-linux",
  ),
  createNeed(
    "unshare",
    "PID namespaces",
    () => readOutput("unshare", "--pid", "--fork", "--mount-proc", "echo", "works") === "works\n",
    "run as root on Linux, with util-linux",
  ),
  createNeed(
    "permissions",
    "a user who cannot read all files",
    () => process.getuid?.() !== 0 || readOutput("setpriv", "--version") !== "",
    "do not run as root, or install util-linux",
  ),
  createNeed("zsh", "zsh", () => readOutput("zsh", "--version") !== "", "install zsh"),
  createNeed("fish", "fish", () => readOutput("fish", "--version") !== "", "install fish"),
  createNeed("chromium", "Chromium", hasBrowser, "install chromium"),
  createNeed("act", "act", () => isLong && tools.act.has(), real),
  createNeed("conftest", "Conftest", () => isLong && tools.conftest.has(), real),
  createNeed(
    "executable",
    "gcc and apt-get, which make the executable",
    canMakeExecutables,
    "use Debian or Ubuntu, and install gcc",
  ),
  createNeed("debootstrap", "debootstrap", hasBareSystem, `install debootstrap, and ${real}, as root`),
  createNeed("gitea", "Gitea", () => isLong && tools.gitea.has(), real),
  createNeed("kubeconform", "kubeconform", () => isLong && tools.kubeconform.has(), real),
  createNeed(
    "pgbouncer",
    "PgBouncer",
    () => isLong && readOutput("pgbouncer", "--version") !== "",
    `install pgbouncer, and ${real}`,
  ),
  createNeed("promptfoo", "promptfoo", hasPromptfoo, real),
  createNeed("sops", "SOPS", () => isLong && tools.sops.has(), real),
  createNeed("vault", "Vault", () => isLong && tools.vault.has(), real),
  createNeed("versitygw", "versitygw, an S3 server", () => isLong && tools.versitygw.has(), real),
];

function createNeed(tag: string, what: string, isThere: () => boolean, remedy: string): Need {
  return { tag, what, isThere, remedy };
}

function hasTerraform(): boolean {
  return !Number.isNaN(readTestedMinor());
}

/** Returns Terraform's minor version (11 for 1.11.4), or NaN without Terraform. */
function readTestedMinor(): number {
  return Number(/^\w+ v1\.(\d+)/m.exec(readOutput(process.env.TERRAFORM ?? "terraform", "version"))?.[1]);
}

/** Whether tests can run promptfoo, which must be installed and needs a long run and Node 22.22 or later. */
function hasPromptfoo(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const canStart = major > 22 || (major === 22 && minor >= 22);
  return isLong && canStart && tools.promptfoo.has();
}

/** Whether this machine can build its own executable, which contains Debian's libraries. */
function canMakeExecutables(): boolean {
  const triple = platforms.find(({ name }) => name === `${process.platform}-${process.arch}`)?.triple;
  return (
    triple !== undefined &&
    readOutput(`${triple}-gcc`, "--version") !== "" &&
    readOutput("apt-get", "--version") !== ""
  );
}

/** Returns a program's output, or an empty string if the program is missing. */
function readOutput(program: string, ...argv: string[]): string {
  return spawnSync(program, argv, { encoding: "utf8" }).stdout ?? "";
}
