/** Runs the emulator behind a slow server, like a service that depends on other systems. */
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import {
  createEmptyDataset,
  type Emulator,
  type EmulatorOptions,
  startEmulator,
} from "../../src/emulator/index.js";
import { serve } from "../listening.js";

/** Minimum and maximum time in milliseconds. */
export type Range = readonly [minMs: number, maxMs: number];

export interface Write {
  readonly method: string;
  readonly path: string;
  /** Name in the request body. */
  readonly name: string;
  /** IP address of the process that sent the write. */
  readonly from: string;
  readonly arrivedMs: number;
  status?: number;
}

export interface SlowService {
  readonly url: string;
  readonly emulator: Emulator;
  readonly writes: readonly Write[];
  /** Returns the writes of a process. */
  writesFrom(address: string): readonly Write[];
  close(): Promise<void>;
}

/**
 * Starts a service that processes each write after this delay, even if the sender has disconnected, and then
 * responds at once.
 *
 * @param random Numbers in [0, 1).
 */
export async function startSlowService(
  [minMs, maxMs]: Range,
  options: EmulatorOptions = {},
  random: () => number = Math.random,
): Promise<SlowService> {
  const emulator = await startEmulator({
    world: createEmptyDataset(),
    ...options,
    behavior: { contextNames: "free", ...options.behavior },
  });
  const writes: Write[] = [];
  const { url, close } = await serve(async (request, response) => {
    const arrivedMs = Date.now();
    const { method = "", url: path = "", headers, socket } = request;
    const from = socket.remoteAddress ?? "";
    let body = "";
    for await (const chunk of request) body += chunk;
    const write: Write | undefined =
      method === "GET" ? undefined : { method, path, name: parseName(body), from, arrivedMs };
    if (write) {
      writes.push(write);
      await sleep(minMs + random() * (maxMs - minMs));
    }
    const { "x-api-key": key = "", "content-type": type } = headers;
    const answer = await fetch(new URL(path, emulator.url), {
      ...{ method, headers: { "x-api-key": String(key), ...(type && { "content-type": type }) } },
      ...(body !== "" && { body }),
    });
    if (write) write.status = answer.status;
    const text = await answer.text();
    const kept = ["content-type", "date", "retry-after"].flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    response.writeHead(answer.status, Object.fromEntries(kept)).end(text);
  });
  const service: SlowService = {
    ...{ url, emulator, writes },
    writesFrom: (address) => writes.filter(({ from }) => from === address),
    async close() {
      await close();
      await emulator.close();
    },
  };
  return service;
}

/** Starts a slow service for one test. */
export async function newSlowService(...given: Parameters<typeof startSlowService>): Promise<SlowService> {
  const service = await startSlowService(...given);
  onTestFinished(service.close);
  return service;
}

function parseName(body: string): string {
  const { name, secret_name } = JSON.parse(body || "{}") as { name?: string; secret_name?: string };
  return name ?? secret_name ?? "";
}

/** Returns names that several objects share. */
export function findDuplicates({ emulator: { world } }: SlowService): string[] {
  const names = [...world.contexts.map(({ name }) => name), ...world.secrets.map((one) => one.secret_name)];
  return names.filter((name, at) => names.indexOf(name) !== at);
}
