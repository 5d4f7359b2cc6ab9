import { onTestFinished } from "vitest";
import type { ValueRecord } from "../../../packages/terraform-plugin/src/values/shape.js";
import { type Core, type Kept, startCore } from "../../../packages/terraform-plugin/test/core.js";
import type { Emulator, EmulatorOptions } from "../../../src/emulator/index.js";
import { createProvider, type ProviderEnvironment } from "../../../src/entrypoints/terraform/index.js";
import { startEmulator } from "../../documented-emulator.js";

/* Calls the provider as Terraform does in a run. Tests with the real terraform cover Terraform's own decisions. */

export type { Kept } from "../../../packages/terraform-plugin/test/core.js";
export type Values = ValueRecord;

export interface Run extends Core {
  readonly logged: readonly string[];
}

export async function startAccount(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator(options);
  onTestFinished(() => emulator.close());
  return emulator;
}

/** Starts a run, which corresponds to one provider process. */
export async function startRun(
  emulator: Emulator,
  settings: Values = {},
  world: Partial<ProviderEnvironment> = {},
): Promise<Run> {
  const provider = createProvider({
    version: "0.0.0",
    environment: { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" },
    waits: { backoffMs: 1, settleMs: 50 },
    ...world,
  });
  const logged: string[] = [];
  const core = await startCore(provider, settings, (_level, message) => void logged.push(message));
  return { ...core, logged };
}

/** Returns an imported object, with only its id. */
export function createImported(id: string): Kept {
  return { state: { id }, private: {} };
}
