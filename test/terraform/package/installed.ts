import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import {
  newWorkspace,
  registryFor,
  type Workspace,
  type WorkspaceOptions,
} from "../../../packages/terraform-plugin/test/terraform.js";
import { findBuilt } from "../../built.js";

/** The mirror of the last build. */
export const mirror = findBuilt("terraform");

export const requirement = `terraform {
  required_providers {
    avatarops = { source = "avatarops/avatarops" }
  }
}
`;

/** A configuration of terraform's own that takes the provider from a folder, and from nowhere else. */
export function mirroredIn(folder: string): string {
  const found = existsSync(path.join(folder, registryFor())) ? folder : renamed(folder);
  return `provider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(found)}\n  }\n}\n`;
}

/** A copy under the name that OpenTofu looks for, as docs/guides/installation.md has it. */
function renamed(folder: string): string {
  const copy = mkdtempSync(path.join(tmpdir(), "avatarops-mirror-"));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  cpSync(path.join(folder, "registry.terraform.io"), path.join(copy, registryFor()), { recursive: true });
  return copy;
}

/** A folder where terraform starts the provider as it was built, from its mirror. */
export async function newInstalled({ files, ...given }: WorkspaceOptions): Promise<Workspace> {
  const workspace = await newWorkspace({
    cliConfig: mirroredIn(mirror),
    ...given,
    files: { "terraform.tf": requirement, ...files },
  });
  await workspace.succeed("init");
  return workspace;
}
