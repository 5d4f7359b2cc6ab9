import * as hashicorp from "cdktf";
import * as terrain from "cdktn";
import * as room from "../../src/entrypoints/cdktf/index.js";

/** One of the libraries, and our constructs over it. */
export interface Flavour {
  readonly library: typeof hashicorp;
  readonly ours: typeof room;
}

/** The constructs of CDK Terrain are made by the build; they are the same source, so they have the same types. */
const built: string = "avatarops/cdktn";

/** Both, for `describe.each`. Terrain has to be told which terraform it writes for; CDKTF does not ask. */
export const flavours: readonly (readonly [string, Flavour])[] = [
  ["cdktf", { library: hashicorp, ours: room }],
  ["cdktn", { library: terrain as unknown as typeof hashicorp, ours: (await import(built)) as typeof room }],
];

/** A stack with an account, in an app of its own. */
export function newStack({ library, ours }: Flavour): hashicorp.TerraformStack {
  const stack = new library.TerraformStack(newApp({ library, ours }), "stack");
  new ours.AvataropsProvider(stack, "account");
  return stack;
}

export function newApp({ library }: Flavour, outdir?: string): hashicorp.App {
  return new library.App({
    context: { targetVersions: { terraform: ">=1.11.0" } },
    ...(outdir === undefined ? {} : { outdir }),
  });
}

type Block = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;

/** What Terraform would read. */
export interface Synthesised {
  readonly resource: Block;
  readonly ephemeral: Block;
  readonly data: Block;
  readonly variable: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly output: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly provider: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

/** Synthesises a stack with its validations. */
export function synth({ library }: Flavour, stack: hashicorp.TerraformStack): Synthesised {
  return JSON.parse(library.Testing.synth(stack, true)) as Synthesised;
}

/** The one block of a type. */
export function only(block: Block | undefined, type: string): Readonly<Record<string, unknown>> {
  const [one, ...more] = Object.values(block?.[type] ?? {});
  if (!one || more.length > 0)
    throw new Error(`There is not one ${type}, but ${JSON.stringify(block?.[type])}.`);
  return one;
}
