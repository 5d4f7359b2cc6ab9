import { readFileSync } from "node:fs";
import { expect } from "vitest";
import {
  type Emulator,
  type EmulatorOptions,
  type LoggedRequest,
  startEmulator as start,
} from "../src/emulator/index.js";

/** The operations of the document, as its table has them: `GET /v1/avatars/{id}`. */
const documented = [
  ...readFileSync(new URL("../docs/service.md", import.meta.url), "utf8").matchAll(
    /`([A-Z]+) (\/v1\/[^`]+)`/g,
  ),
].map(([, method, path = ""]) => new RegExp(`^${method} ${path.replace("{id}", "[^/]+")}$`));
const parameters = ["page", "page_size", "type"];

/** Whether a request is for an operation of the document, with parameters that it has. */
export function isDocumented({
  method,
  path,
  query,
}: Pick<LoggedRequest, "method" | "path" | "query">): boolean {
  return (
    documented.some((operation) => operation.test(`${method} ${path}`)) &&
    Object.keys(query).every((name) => parameters.includes(name))
  );
}

const unchecked = new WeakSet<Emulator>();

/** For tests of a client that takes a deployment for another, and asks it for what it does not have. */
export function allowOtherRequests(emulator: Emulator): void {
  unchecked.add(emulator);
}

/** An emulator whose `close` fails if it has no profile, and anything but the document's operations was asked for. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  if (options.profile) return start(options);
  const others: string[] = [];
  const emulator = await start({
    ...options,
    onRequest(request) {
      const { method, path, query } = request;
      if (!isDocumented(request)) others.push(`${method} ${path} ${JSON.stringify(query)}`);
      options.onRequest?.(request);
    },
  });
  const { close } = emulator;
  return Object.assign(emulator, {
    async close() {
      await close();
      if (unchecked.has(emulator)) return;
      expect(others, "requests without a profile that the document does not have").toEqual([]);
    },
  });
}
