import { fileURLToPath } from "node:url";
import {
  newWorkspace,
  type Workspace,
  type WorkspaceOptions,
} from "../../../packages/terraform-plugin/test/terraform.js";

/** The mirror of the last build. */
export const mirror = fileURLToPath(new URL("../../../dist/terraform", import.meta.url));

export const requirement = `terraform {
  required_providers {
    avatarops = { source = "avatarops/avatarops" }
  }
}
`;

/** A configuration of terraform's own that takes the provider from a folder, and from nowhere else. */
export function mirroredIn(folder: string): string {
  return `provider_installation {\n  filesystem_mirror {\n    path = ${JSON.stringify(folder)}\n  }\n}\n`;
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
