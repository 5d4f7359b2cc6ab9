import { spawnSync } from "node:child_process";
import { cdktfTools, hasCommand } from "../scripts/cdktf/tools.js";
import { clientPackages, smallClients } from "../scripts/interop.js";
import { hasBrowser } from "../scripts/pictures/browser.js";
import { newerTerraform } from "../scripts/terraform/newer.js";
import { moto, postgres } from "../scripts/test-servers.js";
import { hasKubeconform, hasKubectl, hasPromtool, hasSystemd } from "./deploy/tools.js";
import { hasPorcupine } from "./linearizable/porcupine.js";
import { actTool } from "./real/act.js";
import { hasBareSystem } from "./real/bare-system.js";
import { hasConftest } from "./real/conftest-tool.js";
import { hasGitea } from "./real/gitea.js";
import { h2specTool } from "./real/h2spec.js";
import { isLong } from "./real/long.js";
import { hasPgbouncer } from "./real/pgbouncer.js";
import { hasPromptfoo } from "./real/promptfoo.js";
import { hasSops } from "./real/sops.js";
import { hasVault } from "./real/vault.js";
import { hasVersitygw } from "./stores/s3-servers.js";

/** What some tests need beside Node, npm and git. A test that needs it has its tag, and is skipped where it is missing. */
export interface Need {
  readonly tag: string;
  readonly what: string;
  readonly isThere: () => boolean;
  /** How to have it. */
  readonly remedy: string;
}

const servers = "npm run test:servers";
const bindings = "npm run cdktf:bindings -- --check (650 MB)";
/** Builds what it needs, such as Gitea and Vault. */
const real = "npm run test:real";

export const needs: readonly Need[] = [
  need("ci", "minutes: CI runs them for every pull request", () => true, "npm run test:ci"),
  need("night", "many minutes: they run every night", () => isLong, real),
  need("terraform", "terraform", hasTerraform, "install Terraform 1.11 or later"),
  need(
    "newer-terraform",
    "a newer Terraform",
    () => testedMinor() >= 14 || newerTerraform.has(),
    `${servers}, on Linux x86-64 with Python`,
  ),
  need("cdktf", "the tools of CDKTF", cdktfTools.has, bindings),
  need("cdktf-command", "the command of CDKTF", () => hasCommand("cdktf"), `${bindings}, on Node 20 or 22`),
  need(
    "cdktn-command",
    "the command of CDK Terrain",
    () => hasCommand("cdktn"),
    "npm ci --prefix tools/cdktn, on Node 22.19 or later",
  ),
  need(
    "clients",
    "clients of the service, written by others",
    () => smallClients.every((name) => clientPackages[name]?.has()),
    servers,
  ),
  need("moto", "moto, an imitation of AWS", moto.has, servers),
  need("postgresql", "PostgreSQL", postgres.has, servers),
  need("prometheus", "Prometheus", () => hasPromtool, servers),
  need("porcupine", "Porcupine", hasPorcupine, `install Go, and ${servers}`),
  need("kubectl", "kubectl", () => hasKubectl, "install kubectl"),
  need("systemd", "systemd-analyze", () => hasSystemd, "install systemd"),
  need(
    "script",
    "script of util-linux",
    () => printed("script", "--version").includes("util-linux"),
    "install bsdutils or util-linux",
  ),
  need("zsh", "zsh", () => printed("zsh", "--version") !== "", "install zsh"),
  need("fish", "fish", () => printed("fish", "--version") !== "", "install fish"),
  need("chromium", "Chromium", hasBrowser, "install chromium"),
  need("act", "act", actTool.has, real),
  need("conftest", "Conftest", hasConftest, real),
  need("debootstrap", "debootstrap", hasBareSystem, `install debootstrap, and ${real}, as root`),
  need("gitea", "Gitea", hasGitea, real),
  need("h2spec", "h2spec", h2specTool.has, real),
  need("kubeconform", "kubeconform", hasKubeconform, real),
  need("pgbouncer", "PgBouncer", hasPgbouncer, `install pgbouncer, and ${real}`),
  need("promptfoo", "promptfoo", hasPromptfoo, real),
  need("sops", "SOPS", hasSops, real),
  need("vault", "Vault", hasVault, real),
  need("versitygw", "versitygw, an S3 server", hasVersitygw, real),
];

function need(tag: string, what: string, isThere: () => boolean, remedy: string): Need {
  return { tag, what, isThere, remedy };
}

function hasTerraform(): boolean {
  return !Number.isNaN(testedMinor());
}

/** 11 for Terraform 1.11.4; NaN if there is none. */
function testedMinor(): number {
  return Number(/^\w+ v1\.(\d+)/m.exec(printed(process.env.TERRAFORM ?? "terraform", "version"))?.[1]);
}

/** What a program prints; nothing if there is none. */
function printed(program: string, ...argv: string[]): string {
  return spawnSync(program, argv, { encoding: "utf8" }).stdout ?? "";
}
