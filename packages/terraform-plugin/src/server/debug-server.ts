import { pid } from "node:process";
import type { NewProviderServer } from "../protocol/rpcs.js";
import type { Log } from "../provider.js";
import type { GrpcServer } from "./grpc.js";
import { listen } from "./listener.js";
import { openLog } from "./log.js";

/** Provider in a process that Terraform did not start, such as a process under a debugger. */
export interface DebugServer {
  /** Returns the value of TF_REATTACH_PROVIDERS that makes Terraform use this server for these provider addresses. */
  reattach(...addresses: readonly string[]): string;
  close(): Promise<void>;
}

/**
 * Serves a provider without TLS to every Terraform process that connects. Each provider block gets its own connection
 * and provider instance in this process.
 */
export async function startDebugServer(
  newServer: NewProviderServer,
  { log = () => {} }: { readonly log?: Log } = {},
): Promise<DebugServer> {
  // Loaded on demand, because a provider that Terraform starts must print its handshake first.
  const { openGrpc } = await import("./grpc.js");
  const connections = new Set<GrpcServer>();
  const listener = await listen();
  listener.onConnection((socket) => {
    const grpc = openGrpc({ load: async () => newServer, log, shutDown: () => {} });
    connections.add(grpc);
    grpc.accept(socket);
    socket.on("close", () => {
      if (connections.delete(grpc)) void grpc.close(0);
    });
  });
  const address = {
    Protocol: "grpc",
    ProtocolVersion: 6,
    Pid: pid,
    // Keeps Terraform from stopping this process.
    Test: true,
    Addr: { Network: listener.network, String: listener.address },
  };
  return {
    reattach: (...sources) => JSON.stringify(Object.fromEntries(sources.map((source) => [source, address]))),
    async close() {
      listener.close();
      const open = [...connections];
      connections.clear();
      await Promise.all(open.map((grpc) => grpc.close(graceMs)));
    },
  };
}

/**
 * Serves a provider until Ctrl-C, and prints the environment variable that connects Terraform to it from another
 * terminal.
 */
export async function serveDebug(input: {
  readonly load: () => Promise<NewProviderServer>;
  /** Source addresses that configurations may use for the provider. */
  readonly addresses: readonly string[];
  readonly process: NodeJS.Process;
}): Promise<void> {
  const { process } = input;
  const server = await startDebugServer(await input.load(), { log: openLog(process.stderr, process.env) });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => void server.close().then(() => process.exit(0)));
  const set = process.platform === "win32" ? "$env:" : "export ";
  process.stderr.write(
    "The provider is running. Run this line in the terminal where you run terraform or tofu. Ctrl-C stops the provider.\n\n",
  );
  process.stdout.write(`${set}TF_REATTACH_PROVIDERS='${server.reattach(...input.addresses)}'\n`);
}

/** Grace period for calls in progress. */
const graceMs = 1_500;
