import { nearest } from "../../base/diagnostics/index.js";
import { type Service, ServiceError } from "../api/index.js";
import type { Kind, ListResult, StockObject } from "./kind.js";

/** Reads once a client, whichever of its views asks. */
export function oncePerClient<Result>(read: (service: Service) => Result): (service: Service) => Result {
  const known = new WeakMap<Service["requests"], Result>();
  return (service) => {
    const result = known.get(service.requests) ?? read(service);
    known.set(service.requests, result);
    return result;
  };
}

/** What stands in the place of an id until it is looked up: `!stock_avatar Wayne`. */
export function readStockName(text: unknown): { readonly kind: string; readonly name: string } | undefined {
  const [, kind, name] = (typeof text === "string" && /^!stock_(\w+) (.+)$/s.exec(text)) || [];
  return kind === undefined || name === undefined ? undefined : { kind, name };
}

/**
 * The id of the stock object that has this name exactly; or the problem, which starts a sentence, and what to do about it.
 *
 * @throws ServiceError if the list cannot be read.
 */
export async function findStock(
  kind: Kind | undefined,
  service: Service,
  name: string,
): Promise<{ readonly id: string } | { readonly problem: string; readonly hint: string }> {
  if (!kind?.stock) throw new Error(`Bug: a ${kind?.name} is never a stock object`);
  const { entries } = await kind.stock(service);
  const ids = entries.flatMap((entry) => (entry.name === name ? entry.id : []));
  const [id, another] = ids;
  const named = JSON.stringify(name);
  if (another !== undefined) {
    const problem = `there are ${ids.length} stock ${kind.collection} called ${named}`;
    return { problem, hint: `write the id of the one that you mean: ${ids.join(", ")}` };
  }
  if (id !== undefined) return { id };
  const begin = `${name.split(" ", 1)[0]} `.toLowerCase();
  const near = entries
    .filter((entry) => nearest(name, [entry.name]) ?? entry.name.toLowerCase().startsWith(begin))
    .map((entry) => JSON.stringify(entry.name));
  const all = entries.map((entry) => JSON.stringify(entry.name));
  const hint =
    near.length > 0 ? `did you mean ${near.slice(0, 5).join(" or ")}?` : `there are ${all.join(", ")}`;
  return { problem: `there is no stock ${kind.name} called ${named}`, hint };
}

/** Sends a change of an object; if the service refuses because it is a stock one, the error says so. */
export async function explainStockRefusal<Changed>(
  id: string,
  change: () => Promise<Changed>,
  listStock: () => Promise<ListResult<StockObject>>,
): Promise<Changed> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.outcome !== "refused") throw error;
    const stock = await listStock().catch(() => undefined);
    if (!stock?.entries.some((entry) => entry.id === id)) throw error;
    const why =
      "It is a stock object, which every account may use and none can change: declare its id alone.";
    const { method, path, outcome, status } = error;
    throw new ServiceError(`${error.message} ${why}`, { code: "refused", method, path, outcome, status });
  }
}
