import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import {
  findRegistry,
  newWorkspace,
  type Workspace,
  type WorkspaceOptions,
} from "../../../packages/terraform-plugin/test/terraform.js";
import { findBuilt } from "../../built.js";

/** Mirror folder from the last build. */
export const mirror = findBuilt("terraform");

export const requirement = `terraform {
  required_providers {
    avatarops = { source = "avatarops/avatarops" }
  }
}
`;

/** Returns a CLI configuration that takes the provider only from this folder. */
export function makeCliConfig(folder: string): string {
  const found = existsSync(path.join(folder, findRegistry())) ? folder : copyForOpenTofu(folder);
  return `provider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(found)}\n  }\n}\n`;
}

/**
 * Copies the mirror under the registry name that OpenTofu expects, as described in
 * docs/guides/installation.md.
 */
function copyForOpenTofu(folder: string): string {
  const copy = mkdtempSync(path.join(tmpdir(), "avatarops-mirror-"));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  cpSync(path.join(folder, "registry.terraform.io"), path.join(copy, findRegistry()), { recursive: true });
  return copy;
}

/** Creates a folder where terraform starts the built provider from its mirror. */
export async function newInstalled({ files, ...given }: WorkspaceOptions): Promise<Workspace> {
  const workspace = await newWorkspace({
    cliConfig: makeCliConfig(mirror),
    ...given,
    files: { "terraform.tf": requirement, ...files },
  });
  await workspace.succeed("init");
  return workspace;
}
