import * as terrain from "cdktn";
import * as room from "../../src/entrypoints/cdktf/index.js";

/** One of the libraries, and our constructs over it. */
export interface Flavour {
  readonly library: typeof terrain;
  readonly ours: typeof room;
}

/** What is tested with. */
export const cdktn: Flavour = { library: terrain, ours: room };

/** Both, for `test.each` where they could differ. */
export const flavours = [
  ["CDK Terrain", async () => cdktn],
  ["CDKTF", loadCdktf],
] as const;

/** The build makes the constructs for CDKTF from the same source, so they have the same types. */
async function loadCdktf(): Promise<Flavour> {
  const built: string = "avatarops/cdktf";
  return { library: (await import("cdktf")) as unknown as typeof terrain, ours: await import(built) };
}

/** A stack with an account, in an app of its own. */
export function newStack(): terrain.TerraformStack {
  const stack = bareStack();
  new room.AvataropsProvider(stack, "account");
  return stack;
}

/** A stack without an account. Terrain has to be told which terraform it writes for; CDKTF does not ask. */
export function bareStack({ library } = cdktn): terrain.TerraformStack {
  const app = new library.App({ context: { targetVersions: { terraform: ">=1.11.0" } } });
  return new library.TerraformStack(app, "stack");
}

type Block = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;

/** What Terraform would read. */
export interface Synthesised {
  readonly resource: Block;
  readonly data: Block;
  readonly variable: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly output: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly provider: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

/** Synthesises a stack with its validations. */
export function synth(stack: terrain.TerraformStack, { library } = cdktn): Synthesised {
  return JSON.parse(library.Testing.synth(stack, true)) as Synthesised;
}

/** The one block of a type. */
export function only(block: Block | undefined, type: string): Readonly<Record<string, unknown>> {
  const [one, ...more] = Object.values(block?.[type] ?? {});
  if (!one || more.length > 0)
    throw new Error(`There is not one ${type}, but ${JSON.stringify(block?.[type])}.`);
  return one;
}
