import type { Live } from "../kinds/index.js";
import type { WriteContext } from "./write-context.js";

/**
 * The current object; undefined if the service cannot show it. An object that cannot be read singly may be in
 * a list: a voice is in the list of the avatars that use it.
 */
export async function readCurrent(
  { kind, reader, list }: Pick<WriteContext, "kind" | "reader" | "list">,
  id: string,
  options: { readonly fresh: boolean },
): Promise<Live | "gone" | undefined> {
  if (kind.read) return (await kind.read(reader, id)) ?? "gone";
  if (!kind.list?.whole) return undefined;
  const { byId, complete, unstable } = await list(options);
  return byId.get(id)?.live ?? (kind.list.exhaustive && complete && !unstable ? "gone" : undefined);
}
