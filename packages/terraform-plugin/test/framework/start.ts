import { onTestFinished } from "vitest";
import { providerServer, startDebugServer } from "../../src/index.js";
import { newWorkspace, registryFor, type Workspace } from "../terraform.js";
import { exampleProvider, type Memory, newMemory } from "./example.js";

export const source = `${registryFor()}/example/example`;

const requirement = `terraform {
  required_providers {
    example = { source = "example/example" }
  }
}
`;

/** The example between a memory and the real terraform. */
export async function start(
  main: string,
  during?: Memory["during"],
): Promise<Workspace & { readonly memory: Memory }> {
  const memory = newMemory(during);
  const server = await startDebugServer(providerServer(exampleProvider(memory)));
  onTestFinished(() => server.close());
  const workspace = await newWorkspace({
    files: { "terraform.tf": requirement, "main.tf": main },
    environment: { TF_REATTACH_PROVIDERS: server.reattach(source) },
  });
  return { ...workspace, memory };
}
