/**
 * HashiCorp archived CDKTF; CDK Terrain continues it under another name. Both get bindings from their own
 * generator, and the same constructs over them.
 */
export interface Flavour {
  /** The name of the library, of our subpath, and of the folder of its bindings. */
  readonly name: "cdktf" | "cdktn";
  /** Where its generator is: among the tools, or in the package's own node_modules. */
  readonly generator: { readonly package: string; readonly module: string; readonly isTool: boolean };
}

export const cdktf: Flavour = {
  name: "cdktf",
  generator: {
    package: "@cdktf/provider-generator",
    module: "lib/get/generator/provider-generator.js",
    isTool: false,
  },
};

export const cdktn: Flavour = {
  name: "cdktn",
  generator: {
    package: "@cdktn/provider-generator",
    module: "build/get/generator/provider-generator.js",
    isTool: true,
  },
};
