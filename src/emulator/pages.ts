/** Serves lists in pages (§2.2), with page and page_size within the limits of §8. */
import * as z from "zod";
import type { Account } from "./account.js";
import type { Behavior } from "./behavior.js";
import { type EndpointCall, readQuery } from "./endpoint.js";
import { digits } from "./shape.js";

interface PageRow {
  id: string;
  created_at?: string;
  updated_at?: string;
}

const pageQuery = z.object({ page: digits(1), page_size: digits(1, 100) }).partial();

/** Builds one page of a list. `listName` identifies the list within the account. A page past the end is empty. */
export function showPage<T extends PageRow>(
  call: EndpointCall,
  listName: string,
  rows: readonly T[],
  show: (row: T) => unknown,
) {
  const { page = 1, page_size = 20 } = readQuery(call, pageQuery);
  const start = (page - 1) * page_size;
  const bounds = `${start} ${page_size}`;
  const onPage = orderRows(call, listName, rows, bounds).slice(start, start + page_size);
  const hasNext = start + page_size < rows.length;
  return {
    ...buildCount(rows.length, call.behavior.listCount),
    results: onPage.map(show),
    ...buildLink("next", hasNext ? page + 1 : null, call),
    ...buildLink("previous", page > 1 ? page - 1 : null, call),
  };
}

function buildCount(rows: number, count: Behavior["listCount"]): { count?: number } {
  if (count === "absent") return {};
  const error = { exact: 0, "too-large": 1, "too-small": -1 }[count];
  return { count: Math.max(0, rows + error) };
}

// Assumption: next and previous are an empty string or null if there is no such page (unspecified in §2.2).
function buildLink(
  name: "next" | "previous",
  page: number | null,
  call: EndpointCall,
): Record<string, string | null> {
  const style = call.behavior.nextStyle;
  if (style === "absent") return {};
  if (style === "null") return { [name]: null };
  if (page === null) return { [name]: call.behavior.nulls ? null : "" };
  if (style === "marker") return { [name]: `page-${page}` };
  const query = new URLSearchParams(call.query);
  query.set("page", String(page));
  return { [name]: `${call.url}?${query}` };
}

/**
 * Sorts the rows, which are stored in creation order. Fixed orders are cached until the account changes, so that
 * reading ten thousand rows page by page sorts once instead of a hundred times.
 */
function orderRows<T extends PageRow>(
  { account, behavior: { listOrder } }: EndpointCall,
  listName: string,
  rows: readonly T[],
  bounds: string,
): readonly T[] {
  switch (listOrder) {
    case "created":
      return rows;
    case "reshuffled": {
      const times = (reshuffles.get(account) ?? 0) + 1;
      reshuffles.set(account, times);
      return shuffle(rows, `${times} `);
    }
    case "tied":
      return shuffle(rows, `${bounds} `).sort((a, b) =>
        getDay(a) < getDay(b) ? 1 : getDay(a) > getDay(b) ? -1 : 0,
      );
  }
  const lists = sortedLists.get(account) ?? new Map<string, SortedList>();
  sortedLists.set(account, lists);
  const basis = `${listOrder} ${account.revision} ${rows.length}`;
  const known = lists.get(listName);
  if (known?.basis === basis) return known.rows as readonly T[];
  const sorted =
    listOrder === "shuffled"
      ? shuffle(rows)
      : sortLatestFirst(rows, listOrder === "newest" ? "created_at" : "updated_at");
  lists.set(listName, { basis, rows: sorted });
  return sorted;
}

/** Number of shuffles per account. Makes the orders reproducible: the same requests get the same pages. */
const reshuffles = new WeakMap<Account, number>();

function getDay({ created_at = "" }: PageRow): string {
  return created_at.slice(0, 10);
}

interface SortedList {
  basis: string;
  rows: readonly PageRow[];
}

const sortedLists = new WeakMap<Account, Map<string, SortedList>>();

function sortLatestFirst<T extends PageRow>(rows: readonly T[], by: "created_at" | "updated_at"): T[] {
  return rows.toSorted(({ [by]: a = "" }, { [by]: b = "" }) => (a < b ? 1 : a > b ? -1 : 0));
}

/** Shuffles rows reproducibly. A different `salt` gives a different order. */
function shuffle<T extends PageRow>(rows: readonly T[], salt = ""): T[] {
  const keyed = rows.map((row) => ({ row, key: hashId(salt + row.id) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ row }) => row);
}

/** Hashes with FNV-1a, which distributes ids well even if only their last digits differ. */
function hashId(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}
