import { readFileSync } from "node:fs";
import { expect } from "vitest";
import {
  type Emulator,
  type EmulatorOptions,
  type LoggedRequest,
  startEmulator as start,
} from "../src/emulator/index.js";

/** Operations in the service document's table, such as `GET /v1/avatars/{id}`. */
const documented = [
  ...readFileSync(new URL("../docs/service.md", import.meta.url), "utf8").matchAll(
    /`([A-Z]+) (\/v1\/[^`]+)`/g,
  ),
].map(([, method, path = ""]) => new RegExp(`^${method} ${path.replace("{id}", "[^/]+")}$`));
const parameters = ["page", "page_size", "type"];

/** Whether a request is a documented operation with documented parameters. */
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

/** Allows undocumented requests, for a client that expects another deployment. */
export function allowOtherRequests(emulator: Emulator): void {
  unchecked.add(emulator);
}

/** Starts an emulator. Without a profile, `close` fails after undocumented requests. */
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
