import { testedCore } from "../../packages/terraform-plugin/test/terraform.js";
import { newerTerraform } from "../../scripts/terraform/newer.js";

/*
 * Programs for tests of what Terraform 1.11 has not: the one that is tested with, if it has that, else the newer Terraform beside it.
 * Undefined if there is none.
 */

/** Identities of resources, which came in Terraform 1.12 and OpenTofu 1.12. */
export const withIdentities = since(12);

/** Queries and actions, which came in Terraform 1.14. OpenTofu has neither. */
export const withActions = testedCore.isOpenTofu ? undefined : since(14);

/** `lifecycle { destroy = false }`, which came in Terraform 1.16 and OpenTofu 1.12, and which nothing beside it has. */
export const hasForgetting = testedCore.minor >= (testedCore.isOpenTofu ? 12 : 16);

function since(minor: number): string | undefined {
  if (testedCore.minor >= minor) return testedCore.program;
  return newerTerraform.has() ? newerTerraform.program : undefined;
}
