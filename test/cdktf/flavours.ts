import * as hashicorp from "cdktf";
import * as terrain from "cdktn";
import * as room from "../../src/entrypoints/cdktf/index.js";

/** One of the libraries, and our constructs over it. */
export interface Flavour {
  readonly library: typeof terrain;
  readonly ours: typeof room;
}

/** The build makes the constructs for CDKTF from the same source, so they have the same types. */
const built: string = "avatarops/cdktf";

/** Both, for `describe.each`. Terrain has to be told which terraform it writes for; CDKTF does not ask. */
export const flavours: readonly (readonly [string, Flavour])[] = [
  ["cdktf", { library: hashicorp as unknown as typeof terrain, ours: (await import(built)) as typeof room }],
  ["cdktn", { library: terrain, ours: room }],
];

/** A stack with an account, in an app of its own. */
export function newStack({ library, ours }: Flavour): terrain.TerraformStack {
  const stack = new library.TerraformStack(newApp({ library, ours }), "stack");
  new ours.AvataropsProvider(stack, "account");
  return stack;
}

export function newApp({ library }: Flavour, outdir?: string): terrain.App {
  return new library.App({
    context: { targetVersions: { terraform: ">=1.11.0" } },
    ...(outdir === undefined ? {} : { outdir }),
  });
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
export function synth({ library }: Flavour, stack: terrain.TerraformStack): Synthesised {
  return JSON.parse(library.Testing.synth(stack, true)) as Synthesised;
}

/** The one block of a type. */
export function only(block: Block | undefined, type: string): Readonly<Record<string, unknown>> {
  const [one, ...more] = Object.values(block?.[type] ?? {});
  if (!one || more.length > 0)
    throw new Error(`There is not one ${type}, but ${JSON.stringify(block?.[type])}.`);
  return one;
}
