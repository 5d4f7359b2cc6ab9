import * as terrain from "cdktn";
import * as room from "../../src/entrypoints/cdktf/index.js";

/** A CDK library and the avatarops constructs for it. */
export interface Flavor {
  readonly library: typeof terrain;
  readonly ours: typeof room;
}

/** Library used by most tests. */
export const cdktn: Flavor = { library: terrain, ours: room };

/** Both libraries, for tests in which they may differ. */
export const flavors = [
  ["CDK Terrain", async () => cdktn],
  ["CDKTF", loadCdktf],
] as const;

/** Loads the CDKTF constructs. The build generates them from the same source, so their types are equal. */
async function loadCdktf(): Promise<Flavor> {
  const built: string = "avatarops/cdktf";
  return { library: (await import("cdktf")) as unknown as typeof terrain, ours: await import(built) };
}

/** Creates an app with one stack that contains a provider. */
export function newStack(): terrain.TerraformStack {
  const stack = createBareStack();
  new room.AvataropsProvider(stack, "account");
  return stack;
}

/** Creates an app with one stack without a provider. Unlike CDKTF, CDK Terrain needs the target Terraform version. */
export function createBareStack({ library } = cdktn): terrain.TerraformStack {
  const app = new library.App({ context: { targetVersions: { terraform: ">=1.11.0" } } });
  return new library.TerraformStack(app, "stack");
}

type Block = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;

/** Synthesized Terraform JSON. */
export interface Synthesized {
  readonly resource: Block;
  readonly data: Block;
  readonly variable: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly output: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly provider: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

/** Validates and synthesizes a stack. */
export function synth(stack: terrain.TerraformStack, { library } = cdktn): Synthesized {
  return JSON.parse(library.Testing.synth(stack, true)) as Synthesized;
}

/** Returns the only block of a block type. */
export function readOnlyBlock(block: Block | undefined, type: string): Readonly<Record<string, unknown>> {
  const [one, ...more] = Object.values(block?.[type] ?? {});
  if (!one || more.length > 0)
    throw new Error(`There is not one ${type}, but ${JSON.stringify(block?.[type])}.`);
  return one;
}
