import { createConnection, createServer } from "node:net";
import { listen } from "../listening.js";

/** Fault of a request: not sent, or with a lost, truncated, late or replaced response. */
export type Fault = "refused" | "answer lost" | "answer cut" | "answer late" | "web page";

/**
 * Proxy between a client and a local server that injects faults into selected requests. Supports any protocol over TCP.
 */
export interface FaultProxy {
  readonly port: number;
  /**
   * Selects the fault of each request. Numbers restart at 0 with each `disturb`. A request is the first data on a
   * connection, or data sent after a response.
   */
  disturb(faultOf: (request: number) => Fault | undefined): void;
  /** Number of requests since the last `disturb`. */
  readonly requests: number;
  close(): Promise<void>;
}

const page = "<!doctype html><title>Sign in</title><p>Sign in to use the network.";

export async function startFaultProxy(target: number): Promise<FaultProxy> {
  let faultOf: (request: number) => Fault | undefined = () => undefined;
  let requests = 0;
  const { port, close } = await listen(
    createServer((client) => {
      const upstream = createConnection({ port: target, host: "127.0.0.1" });
      upstream.on("error", () => {});
      client.on("close", () => upstream.destroy());
      let isNew = true;
      let fault: Fault | undefined;
      const reset = () => {
        client.resetAndDestroy();
        upstream.destroy();
      };
      client.on("data", (bytes) => {
        if (isNew) fault = faultOf(requests++);
        isNew = false;
        if (fault === "refused") return reset();
        if (fault === "web page") {
          client.end(
            `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${page.length}\r\n\r\n${page}`,
          );
          return upstream.destroy();
        }
        upstream.write(bytes);
      });
      upstream.on("data", (bytes) => {
        isNew = true;
        if (fault === undefined) return client.write(bytes);
        if (fault === "answer late") return setTimeout(() => client.destroyed || client.write(bytes), 100);
        if (fault === "answer cut") client.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), reset);
        else reset();
      });
      client.on("end", () => upstream.end());
      upstream.on("end", () => client.end());
    }),
  );
  return {
    ...{ port, close },
    disturb(next) {
      faultOf = next;
      requests = 0;
    },
    get requests() {
      return requests;
    },
  };
}
