/** Lists in pages (§2.2), page and page_size within the limits of §8. */
import * as z from "zod";
import type { Account } from "./account.js";
import type { Behaviour } from "./behaviour.js";
import { type Call, readQuery } from "./endpoint.js";
import { digits } from "./shape.js";

interface Row {
  id: string;
  created_at?: string;
  updated_at?: string;
}

const pageQuery = z.object({ page: digits(1), page_size: digits(1, 100) }).partial();

/** One page of a list; `listName` distinguishes the lists of an account. A page past the end is empty. */
export function showPage<T extends Row>(
  call: Call,
  listName: string,
  rows: readonly T[],
  show: (row: T) => unknown,
) {
  const { page = 1, page_size = 20 } = readQuery(call, pageQuery);
  const start = (page - 1) * page_size;
  const bounds = `${start} ${page_size}`;
  const onPage = ordered(call, listName, rows, bounds).slice(start, start + page_size);
  const hasNext = start + page_size < rows.length;
  return {
    ...counted(rows.length, call.behaviour.listCount),
    results: onPage.map(show),
    ...neighbour("next", hasNext ? page + 1 : null, call),
    ...neighbour("previous", page > 1 ? page - 1 : null, call),
  };
}

function counted(rows: number, count: Behaviour["listCount"]): { count?: number } {
  if (count === "absent") return {};
  const error = { exact: 0, "too-large": 1, "too-small": -1 }[count];
  return { count: Math.max(0, rows + error) };
}

// Assumed: without such a page, next and previous are an empty string or null (§2.2 does not say).
function neighbour(
  name: "next" | "previous",
  page: number | null,
  call: Call,
): Record<string, string | null> {
  const style = call.behaviour.nextStyle;
  if (style === "absent") return {};
  if (style === "null") return { [name]: null };
  if (page === null) return { [name]: call.behaviour.nulls ? null : "" };
  if (style === "marker") return { [name]: `page-${page}` };
  const query = new URLSearchParams(call.query);
  query.set("page", String(page));
  return { [name]: `${call.url}?${query}` };
}

/**
 * Rows are stored in the order of creation, so that order is free. Any other fixed order is sorted once and kept
 * until the account changes: reading ten thousand rows page by page sorts once, not a hundred times.
 */
function ordered<T extends Row>(
  { account, behaviour: { listOrder } }: Call,
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
      return shuffled(rows, `${times} `);
    }
    case "tied":
      return shuffled(rows, `${bounds} `).sort((a, b) =>
        dayOf(a) < dayOf(b) ? 1 : dayOf(a) > dayOf(b) ? -1 : 0,
      );
  }
  const lists = sortedLists.get(account) ?? new Map<string, SortedList>();
  sortedLists.set(account, lists);
  const basis = `${listOrder} ${account.revision} ${rows.length}`;
  const known = lists.get(listName);
  if (known?.basis === basis) return known.rows as readonly T[];
  const sorted =
    listOrder === "shuffled"
      ? shuffled(rows)
      : latestFirst(rows, listOrder === "newest" ? "created_at" : "updated_at");
  lists.set(listName, { basis, rows: sorted });
  return sorted;
}

/** How often lists were shuffled for one request: a run of requests has the same orders each time. */
const reshuffles = new WeakMap<Account, number>();

function dayOf({ created_at = "" }: Row): string {
  return created_at.slice(0, 10);
}

interface SortedList {
  basis: string;
  rows: readonly Row[];
}

const sortedLists = new WeakMap<Account, Map<string, SortedList>>();

function latestFirst<T extends Row>(rows: readonly T[], by: "created_at" | "updated_at"): T[] {
  return rows.toSorted(({ [by]: a = "" }, { [by]: b = "" }) => (a < b ? 1 : a > b ? -1 : 0));
}

/** An order that is another one for each salt. */
function shuffled<T extends Row>(rows: readonly T[], salt = ""): T[] {
  const keyed = rows.map((row) => ({ row, key: scrambled(salt + row.id) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ row }) => row);
}

/** FNV-1a: spreads ids that differ only in their last digit. */
function scrambled(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}
