/**
 * Runs `work` on all items, at most `width` at once, and returns the results in the order of the items. When
 * one fails, nothing new is started, and its error is thrown after the running ones have ended.
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

/** Concurrent single reads: more than any client allows, so that only its limits decide the rate. */
export const maxConcurrentReads = 64;
