import { testedCore } from "../../packages/terraform-plugin/test/terraform.js";
import { tools } from "../../scripts/tools.js";

/*
 * Programs for testing features that Terraform 1.11 lacks: the tested program if it supports the feature, otherwise the
 * newer Terraform installed alongside. Undefined if neither supports it.
 */

/** Supports resource identities (Terraform and OpenTofu 1.12). */
export const withIdentities = findCoreSince(12);

/** Supports queries and actions (Terraform 1.14, not OpenTofu). */
export const withActions = testedCore.isOpenTofu ? undefined : findCoreSince(14);

/** Whether the tested program supports `lifecycle { destroy = false }` (Terraform 1.16, OpenTofu 1.12). */
export const hasForgetting = testedCore.minor >= (testedCore.isOpenTofu ? 12 : 16);

function findCoreSince(minor: number): string | undefined {
  if (testedCore.minor >= minor) return testedCore.program;
  const newer = tools["terraform-1.15"];
  return newer.has() ? newer.path : undefined;
}
