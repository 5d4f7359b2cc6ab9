import { nearest } from "../../base/diagnostics/index.js";
import { type Service, ServiceError } from "../api/index.js";
import type { Kind, ListResult, StockObject } from "./kind.js";

/**
 * The id of the stock object that has this name exactly; or the problem, which starts a sentence, and what to do about it.
 * Reads the list once a service.
 *
 * @throws ServiceError if the list cannot be read.
 */
export async function findStock(
  { name: kind, collection, stock }: Kind,
  service: Service,
  name: string,
): Promise<{ readonly id: string } | { readonly problem: string; readonly hint: string }> {
  if (!stock) throw new Error(`Bug: ${collection} have no stock`);
  const { entries } = await stock(service);
  const [match, ...others] = entries.filter((entry) => entry.name === name);
  if (match && others.length === 0) return { id: match.id };
  const named = JSON.stringify(name);
  if (match) {
    const ids = [match, ...others].map(({ id }) => id).join(", ");
    const problem = `there are ${others.length + 1} stock ${collection} called ${named}`;
    return { problem, hint: `write the id of the one that you mean: ${ids}` };
  }
  const [first = ""] = name.split(" ");
  const isNear = (other: string) =>
    nearest(name, [other]) ?? other.toLowerCase().startsWith(`${first.toLowerCase()} `);
  const near = entries.flatMap((entry) => (isNear(entry.name) ? JSON.stringify(entry.name) : []));
  const hint =
    near.length > 0 ? `did you mean ${near.slice(0, 5).join(" or ")}?` : `there are ${entries.length} others`;
  return { problem: `there is no stock ${kind} called ${named}`, hint };
}

/** Sends a change of an object; if the service refuses because it is a stock one, the error says so. */
export async function changeOwn<Changed>(
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
