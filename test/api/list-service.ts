import { createSuccess, type ReceivedRequest, startRawService } from "./raw-service.js";

export const createEntry = (n: number) => ({
  id: `c-${n}`,
  name: `Context ${n}`,
  created_at: "",
  updated_at: "",
});
export const createEntries = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => createEntry(from + i));

export interface Query {
  page: number;
  pageSize: number;
}

export function readQuery({ url }: ReceivedRequest): Query {
  const query = new URL(url, "http://x").searchParams;
  return { page: Number(query.get("page")), pageSize: Number(query.get("page_size")) };
}

/** Returns a page as a correct service does. */
export function slice<T>(all: readonly T[], { page, pageSize }: Query, longest = 100) {
  const size = Math.min(pageSize, longest);
  return {
    count: all.length as unknown,
    results: all.slice((page - 1) * size, page * size),
    next: null as unknown,
  };
}

/** Starts a service whose list pages come from `give`. */
export function startListService(give: (query: Query) => object) {
  return startRawService((heard) => createSuccess(give(readQuery(heard))));
}
