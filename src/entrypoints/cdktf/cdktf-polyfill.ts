import {
  call,
  type IResolvable,
  type TerraformElement,
  type TerraformMetaArguments,
  TerraformResource,
  type TerraformResourceConfig,
} from "cdktf";
import type { Construct } from "constructs";

/*
 * What the bindings use of CDK Terrain and CDKTF lacks. CDKTF 0.21 was archived before it supported ephemeral
 * resources and functions of providers. Only the build for CDKTF uses this file (scripts/cdktf-build.ts).
 */

/** The arguments of an ephemeral block, except its attributes. */
export type TerraformEphemeralMetaArguments = Pick<
  TerraformMetaArguments,
  "dependsOn" | "count" | "provider" | "forEach" | "lifecycle"
>;

/**
 * Base of the bindings of ephemeral resources. Terraform references them, orders them and assigns them providers like
 * resources; only the block has another name. So this is a resource of the type "ephemeral.x": references then read
 * `ephemeral.x.name.attribute`, and the block is written under its real name.
 */
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

/** Calls of functions of a provider. */
export const TerraformProviderFunction = {
  invoke: (provider: string, name: string, args: unknown[]): IResolvable =>
    call(`provider::${provider}::${name}`, args),
};
