import { call, type IResolvable } from "cdktf";

/*
 * What the bindings use of CDK Terrain and CDKTF lacks. CDKTF 0.21 was archived before it supported functions
 * of providers. Only the build for CDKTF uses this file (scripts/cdktf-build.ts).
 */

/** Calls of functions of a provider. */
export const TerraformProviderFunction = {
  invoke: (provider: string, name: string, args: unknown[]): IResolvable =>
    call(`provider::${provider}::${name}`, args),
};
