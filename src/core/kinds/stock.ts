import { suggest } from "../../base/diagnostics/index.js";
import { listNames } from "../../base/text/index.js";
import type { Service } from "../api/index.js";
import type { Kind } from "./kind.js";

/** Caches the result of a read per client. All views of a client (see `restrictToReads`) share the result. */
export function memoizePerClient<Result>(read: (service: Service) => Result): (service: Service) => Result {
  const known = new WeakMap<Service["requests"], Result>();
  return (service) => {
    const result = known.get(service.requests) ?? read(service);
    known.set(service.requests, result);
    return result;
  };
}

/** Parses a placeholder for an id that is looked up later: `!stock_avatar Wayne`. */
export function readStockName(text: unknown): { readonly kind: string; readonly name: string } | undefined {
  const [, kind, name] = (typeof text === "string" && /^!stock_(\w+) (.+)$/s.exec(text)) || [];
  return kind === undefined || name === undefined ? undefined : { kind, name };
}

/**
 * Finds the id of the stock object with exactly this name, or returns a problem with a hint. Both are lowercase
 * clauses without a final period.
 *
 * @throws ServiceError if the list cannot be read.
 */
export async function findStock(
  kind: Kind | undefined,
  service: Service,
  name: string,
): Promise<{ readonly id: string } | { readonly problem: string; readonly hint: string }> {
  if (!kind?.listStock) throw new Error(`Bug: a ${kind?.name} is never a stock object`);
  const { entries } = await kind.listStock(service);
  const ids = entries.flatMap((entry) => (entry.name === name ? entry.id : []));
  const [id, another] = ids;
  const named = JSON.stringify(name);
  if (another !== undefined) {
    const problem = `there are ${ids.length} stock ${kind.collection} called ${named}`;
    return { problem, hint: `use one of these ids: ${ids.join(", ")}` };
  }
  if (id !== undefined) return { id };
  const names = entries.map((entry) => entry.name);
  const hint = suggest(
    name,
    names,
    `there are ${listNames(
      names.map((one) => JSON.stringify(one)),
      10,
    )}`,
  );
  return { problem: `the service has no stock ${kind.name} named ${named}`, hint };
}
