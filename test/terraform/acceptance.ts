import { providerServer } from "@avatarops/terraform-plugin";
import { onTestFinished } from "vitest";
import { startServer } from "../../packages/terraform-plugin/test/server.js";
import { newWorkspace, registryFor, type Workspace } from "../../packages/terraform-plugin/test/terraform.js";
import type { Dataset, Emulator, EmulatorOptions } from "../../src/emulator/index.js";
import { createProvider } from "../../src/entrypoints/terraform/index.js";
import { startEmulator } from "../documented-emulator.js";

/*
 * An account, the provider and the real terraform between them. The provider is served from the test's own process: a command then
 * takes a third of the time. What concerns the process is tested with the package.
 */

const requirement = `
terraform {
  required_providers {
    avatarops = { source = "avatarops/avatarops" }
  }
}
`;

export interface Acceptance extends Workspace {
  readonly emulator: Emulator;
  /** What was asked of the service since the last call, as "GET /v1/contexts". */
  requests(): string[];
}

/** What a test begins with; `files` are texts by name, and "main.tf" gets the provider's source added. */
export interface Beginning {
  readonly main: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly world?: Dataset;
  readonly emulator?: EmulatorOptions;
  readonly environment?: Readonly<Record<string, string>>;
  /** What the provider sees of the environment, beside the address and the key. */
  readonly providerEnvironment?: Readonly<Record<string, string>>;
  /** In place of the terraform that is tested with. */
  readonly program?: string | undefined;
}

export async function startAcceptance(given: Beginning): Promise<Acceptance> {
  const emulator = await startEmulator({ ...(given.world ? { world: given.world } : {}), ...given.emulator });
  const newProvider = () =>
    createProvider({
      version: "0.0.0-test",
      environment: {
        AVATAROPS_BASE_URL: emulator.url,
        AVATAROPS_API_KEY: "test-key",
        ...given.providerEnvironment,
      },
      waits: { backoffMs: 1, settleMs: 50 },
    });
  const server = await startServer((world) => providerServer(newProvider())(world));
  onTestFinished(async () => {
    await server.close();
    await emulator.close();
  });
  const source = `${registryFor(given.program)}/avatarops/avatarops`;
  const workspace = await newWorkspace({
    files: { "terraform.tf": requirement, "main.tf": given.main, ...given.files },
    environment: { TF_REATTACH_PROVIDERS: server.reattach(source), ...given.environment },
    ...(given.program === undefined ? {} : { program: given.program }),
  });
  let told = 0;
  return {
    ...workspace,
    emulator,
    requests() {
      const fresh = emulator.requests.slice(told);
      told = emulator.requests.length;
      return fresh.map(({ method, path }) => `${method} ${path}`);
    },
  };
}
