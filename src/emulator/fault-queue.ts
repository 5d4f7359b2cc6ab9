import type { Fault, FaultAction, FaultMatch } from "./emulator.js";

/** The parts of a request that a fault's conditions refer to. */
interface FaultTarget {
  method: string;
  path: string;
  query: URLSearchParams;
  text: string;
}

export type FaultQueue = ReturnType<typeof openFaultQueue>;

/** Creates a queue of faults, checked in the order they were added. */
export function openFaultQueue() {
  let waiting: Required<Fault>[] = [];
  return {
    add(fault: Fault): void {
      waiting.push({ match: {}, skip: 0, times: 1, ...fault });
    },
    clear(): void {
      waiting = [];
    },
    /**
     * Counts the request against matching faults, and returns their actions: any number of `delay` and `run`, then at
     * most one other action.
     */
    take(target: FaultTarget): FaultAction[] {
      const taken: FaultAction[] = [];
      for (const fault of waiting) {
        if (!matches(fault.match, target)) continue;
        if (fault.skip > 0) {
          fault.skip -= 1;
          continue;
        }
        fault.times -= 1;
        taken.push(fault.do);
        if (fault.do.kind !== "delay" && fault.do.kind !== "run") break;
      }
      waiting = waiting.filter(({ times }) => times > 0);
      return taken;
    },
  };
}

function matches({ method, path, body }: FaultMatch, target: FaultTarget): boolean {
  if (method !== undefined && method.toUpperCase() !== target.method) return false;
  if (path !== undefined && !matchesPath(path, target)) return false;
  return body === undefined || target.text.includes(body);
}

function matchesPath(pattern: string, { path, query }: FaultTarget): boolean {
  // Only the first question mark ends the path.
  const [pathPattern = "", ...queryPattern] = pattern.split("?");
  const segments = path.split("/");
  const segmentPatterns = pathPattern.split("/");
  return (
    segments.length === segmentPatterns.length &&
    segmentPatterns.every((segment, i) => segment === "*" || segment === segments[i]) &&
    [...new URLSearchParams(queryPattern.join("?"))].every(([name, value]) => query.get(name) === value)
  );
}
