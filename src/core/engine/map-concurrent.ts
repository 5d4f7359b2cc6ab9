/**
 * Runs `work` on all items, at most `width` at once, and returns the results in item order. After a failure, starts no
 * more items, and throws once the running items have ended.
 */
export async function mapConcurrent<Item, Result>(
  width: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  let next = 0;
  let broken: { readonly error: unknown } | undefined;
  const runWorker = async () => {
    while (next < items.length && !broken) {
      const at = next++;
      try {
        results[at] = await work(items[at] as Item);
      } catch (error) {
        broken ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, runWorker));
  if (broken) throw (broken as { readonly error: unknown }).error;
  return results;
}

/** Maximum number of concurrent reads. Higher than any client's limit, so that the client decides. */
export const maxConcurrentReads = 64;
