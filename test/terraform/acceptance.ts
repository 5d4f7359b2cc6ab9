import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createProviderServer, startDebugServer } from "@avatarops/terraform-plugin";
import { onTestFinished } from "vitest";
import {
  findRegistry,
  newWorkspace,
  type Workspace,
} from "../../packages/terraform-plugin/test/terraform.js";
import { findMakerPlatform } from "../../scripts/executables/platforms.js";
import { version } from "../../src/base/version/index.js";
import type { Dataset, Emulator, EmulatorOptions } from "../../src/emulator/index.js";
import { createProvider } from "../../src/entrypoints/terraform/index.js";
import { startEmulator } from "../documented-emulator.js";

/*
 * Connects the real terraform to an account through the provider. The test process serves the provider, which
 * makes commands three times as fast. `npm run test:real` runs some tests with the package and the
 * executable.
 */

/** Program that terraform starts as the provider. If undefined, this process serves it. */
const providerProgram = process.env.AVATAROPS_TEST_PROVIDER || undefined;

/** Time to search for an object after a lost create response, in milliseconds. */
export const searchMs = providerProgram === undefined ? 50 : 10_000;

const requirement = `
terraform {
  required_providers {
    avatarops = { source = "avatarops/avatarops" }
  }
}
`;

export interface Acceptance extends Workspace {
  readonly emulator: Emulator;
  /** Returns the requests since the last call, such as "GET /v1/contexts". */
  requests(): string[];
}

/** Test options. `files` maps file names to contents. The provider source is added to "main.tf". */
export interface AcceptanceSetup {
  readonly main: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly world?: Dataset;
  readonly emulator?: EmulatorOptions;
  readonly environment?: Readonly<Record<string, string>>;
  /** Environment variables of the provider, in addition to the base URL and the key. */
  readonly providerEnvironment?: Readonly<Record<string, string>>;
  /** Terraform program that replaces the default. */
  readonly program?: string | undefined;
}

export async function startAcceptance(given: AcceptanceSetup): Promise<Acceptance> {
  const emulator = await startEmulator({ ...(given.world ? { world: given.world } : {}), ...given.emulator });
  onTestFinished(() => emulator.close());
  const environment = {
    AVATAROPS_BASE_URL: emulator.url,
    AVATAROPS_API_KEY: "test-key",
    ...given.providerEnvironment,
  };
  const source = `${findRegistry(given.program)}/avatarops/avatarops`;
  const served = providerProgram
    ? { environment, cliConfig: await mirrorProvider(providerProgram, source) }
    : { environment: { TF_REATTACH_PROVIDERS: await serveProvider(environment, source) } };
  const workspace = await newWorkspace({
    ...served,
    files: { "terraform.tf": requirement, "main.tf": given.main, ...given.files },
    environment: { ...served.environment, ...given.environment },
    ...(given.program === undefined ? {} : { program: given.program }),
  });
  if (providerProgram) await workspace.succeed("init");
  let previousCount = 0;
  return {
    ...workspace,
    emulator,
    requests() {
      const fresh = emulator.requests.slice(previousCount);
      previousCount = emulator.requests.length;
      return fresh.map(({ method, path }) => `${method} ${path}`);
    },
  };
}

/** Serves the provider from this process. Returns the reattach settings for terraform. */
async function serveProvider(environment: Readonly<Record<string, string>>, source: string): Promise<string> {
  const waits = { backoffMs: 1, settleMs: searchMs };
  const server = await startDebugServer((world) =>
    createProviderServer(createProvider({ version: "0.0.0-test", environment, waits }))(world),
  );
  onTestFinished(() => server.close());
  return server.reattach(source);
}

/** Creates a mirror with this program as the provider. Returns the CLI configuration that uses it. */
async function mirrorProvider(program: string, source: string): Promise<string> {
  const mirror = await mkdtemp(path.join(tmpdir(), "avatarops-mirror-"));
  onTestFinished(() => rm(mirror, { recursive: true }));
  const folder = path.join(mirror, source, version, findMakerPlatform().terraform);
  await mkdir(folder, { recursive: true });
  await symlink(path.resolve(program), path.join(folder, `terraform-provider-avatarops_v${version}`));
  return `provider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(mirror)}\n  }\n}\n`;
}
