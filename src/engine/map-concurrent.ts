/**
 * Runs `work` on all items, at most `width` at once, and gives the results in the items' order. When one fails, nothing new
 * is begun, and its error is thrown when what is under way has ended.
 */
export async function mapConcurrent<Item, Result>(
  width: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  let next = 0;
  let broken: { readonly error: unknown } | undefined;
  const worker = async () => {
    while (next < items.length && !broken) {
      const at = next++;
      try {
        results[at] = await work(items[at] as Item);
      } catch (error) {
        broken ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  if (broken) throw (broken as { readonly error: unknown }).error;
  return results;
}

/** Single reads under way at once: more than any client lets through, so that its limits alone decide the pace. */
export const maxConcurrentReads = 64;
