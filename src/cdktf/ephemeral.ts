import {
  type TerraformElement,
  type TerraformMetaArguments,
  TerraformResource,
  type TerraformResourceConfig,
} from "cdktf";
import type { Construct } from "constructs";

/*
 * CDKTF 0.21 was archived before it knew ephemeral resources. Terraform refers to them, orders them and gives them
 * providers as it does resources; only the block is called otherwise. So this is a resource whose type is
 * "ephemeral.x": references then read `ephemeral.x.name.attribute`, and the block is written under its real name.
 * CDK Terrain has a class of its own, and its build does not use this file.
 */

/** What an ephemeral block takes beside its attributes. */
export type TerraformEphemeralMetaArguments = Pick<
  TerraformMetaArguments,
  "dependsOn" | "count" | "provider" | "forEach" | "lifecycle"
>;

/** Base of the bindings of ephemeral resources. */
export class TerraformEphemeralResource extends TerraformResource {
  private readonly ephemeralType: string;

  constructor(scope: Construct, id: string, config: TerraformResourceConfig) {
    const { terraformResourceType } = config;
    super(scope, id, { ...config, terraformResourceType: `ephemeral.${terraformResourceType}` });
    this.ephemeralType = terraformResourceType;
  }

  override toTerraform(): ReturnType<TerraformElement["toTerraform"]> {
    const { resource } = super.toTerraform();
    return { ephemeral: { [this.ephemeralType]: resource[this.terraformResourceType] } };
  }
}
