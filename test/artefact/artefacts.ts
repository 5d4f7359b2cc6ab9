import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { testedCore } from "../../packages/terraform-plugin/test/terraform.js";
import { buildForThisMachine } from "../../scripts/executables/build.js";
import { version } from "../../src/base/version/index.js";
import { findBuilt } from "../built.js";
import { execute, packInto, runProgram } from "../installing.js";
import { authority } from "./authority.js";

/** A run's network settings and environment variables. */
export interface Surroundings {
  readonly url: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeoutSeconds?: number;
}

export interface Outcome {
  readonly succeeded: boolean;
  /** All output, without line breaks and box-drawing characters. */
  readonly text: string;
}

/** A program as users install it. */
export interface Artefact {
  /** Reads the account. */
  plan(given: Surroundings): Promise<Outcome>;
  /** Creates the contexts "Desk" and "Shop". */
  apply(given: Surroundings): Promise<Outcome>;
}

/** Program and its first arguments. */
export type Command = readonly [program: string, ...argv: string[]];

/** Creates a folder for everything that the tests in one file install, build and write. */
export async function openWorkshop() {
  const root = await mkdtemp(path.join(tmpdir(), "avatarops-artefact-"));
  const newFolder = () => mkdtemp(path.join(root, "at-"));
  const caches = path.join(root, "caches");
  const certificates = path.join(root, "authority.pem");
  await writeFile(certificates, authority.ca);

  /**
   * Returns environment variables for all programs, without the machine's own settings. All runs share one compile
   * cache.
   */
  const environmentIn = (home: string, { url, environment }: Surroundings) => ({
    ...{ PATH: process.env.PATH, HOME: home, XDG_CACHE_HOME: caches, TMPDIR: root },
    ...{ AVATAROPS_BASE_URL: url, AVATAROPS_API_KEY: "test-key", ...environment },
  });

  function command([program, ...first]: Command): Artefact {
    const run = async (given: Surroundings, ...argv: string[]) => {
      const cwd = await newFolder();
      await writeFile(
        path.join(cwd, "avatarops.yaml"),
        `service: { timeout_seconds: ${given.timeoutSeconds ?? 30} }
contexts:
  desk: { name: Desk, prompt: Be kind. }
  shop: { name: Shop, prompt: Be quick. }
`,
      );
      return toOutcome(await execute(program, [...first, ...argv], { cwd, env: environmentIn(cwd, given) }));
    };
    return {
      plan: (given) => run(given, "plan"),
      apply: (given) => run(given, "apply", "--auto-approve"),
    };
  }

  /** Returns an artefact that runs the folder's provider through terraform. */
  function provider(folder: string): Artefact {
    const run = async (given: Surroundings, ...argv: string[]) => {
      const cwd = await newFolder();
      const configuration = path.join(cwd, "terraformrc");
      const override = `"avatarops/avatarops" = ${JSON.stringify(folder)}`;
      await writeFile(configuration, `provider_installation {\n  dev_overrides {\n    ${override}\n  }\n}\n`);
      const { timeoutSeconds = 30 } = given;
      await writeFile(
        path.join(cwd, "main.tf"),
        `terraform {
  required_providers {
    avatarops = { source = "avatarops/avatarops" }
  }
}
provider "avatarops" {
  timeout_seconds = ${timeoutSeconds}
}
data "avatarops_contexts" "all" {}
resource "avatarops_context" "desk" {
  name   = "Desk"
  prompt = "Be kind."
}
resource "avatarops_context" "shop" {
  name   = "Shop"
  prompt = "Be quick."
}
`,
      );
      const env = {
        TF_CLI_CONFIG_FILE: configuration,
        CHECKPOINT_DISABLE: "1",
        ...environmentIn(cwd, given),
      };
      return toOutcome(
        await execute(testedCore.program, [...argv, "-no-color", "-input=false"], { cwd, env }),
      );
    };
    return {
      plan: (given) => run(given, "plan"),
      apply: (given) => run(given, "apply", "-auto-approve"),
    };
  }

  /** Packs and installs the package and returns its folder. */
  async function installPackage(): Promise<string> {
    findBuilt();
    const folder = await newFolder();
    await writeFile(path.join(folder, "package.json"), '{ "private": true }');
    const install = ["install", "--prefer-offline", "--no-audit", "--no-fund", await packInto(folder)];
    await runProgram("npm", install, { cwd: folder });
    return path.join(folder, "node_modules/avatarops");
  }

  /** Builds the release executable for this machine and returns its path. */
  async function makeExecutable(): Promise<string> {
    findBuilt();
    return buildForThisMachine(await newFolder(), version);
  }

  return {
    certificates,
    command,
    provider,
    installPackage,
    makeExecutable,
    built: (): Command => [process.execPath, findBuilt()],
    installed: (at: string): Command => [path.join(at, "../.bin/avatarops")],
    /** Creates a folder with the executable under terraform's name for a provider. */
    async asProvider(executable: string): Promise<string> {
      const folder = path.join(path.dirname(executable), "provider");
      await mkdir(folder);
      await symlink(executable, path.join(folder, `terraform-provider-avatarops_v${version}`));
      return folder;
    },
    close: () => rm(root, { recursive: true, force: true }),
  };
}

function toOutcome({ exit, stdout, stderr }: Awaited<ReturnType<typeof execute>>): Outcome {
  const text = `${stdout} ${stderr}`.replace(/[\s│╷╵]+/g, " ");
  return { succeeded: exit === 0, text };
}
