import { pid } from "node:process";
import type { NewProviderServer } from "../src/protocol/rpcs.js";
import type { Log } from "../src/provider.js";
import { type GrpcServer, openGrpc } from "../src/server/grpc.js";
import { listen } from "../src/server/listener.js";

/** Provider that runs in the test process. */
interface TestServer {
  /** Returns the value of TF_REATTACH_PROVIDERS that makes Terraform use this server for these provider addresses. */
  reattach(...addresses: string[]): string;
  close(): Promise<void>;
}

/**
 * Serves a provider without TLS to every connecting Terraform. Each provider block is a connection instead of a
 * process, with its own instance.
 */
export async function startServer(
  newServer: NewProviderServer,
  { log = () => {} }: { readonly log?: Log } = {},
): Promise<TestServer> {
  const connections = new Set<GrpcServer>();
  const door = await listen();
  door.onConnection((socket) => {
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
    // Terraform never stops this process.
    Test: true,
    Addr: { Network: door.network, String: door.address },
  };
  return {
    reattach: (...sources) => JSON.stringify(Object.fromEntries(sources.map((source) => [source, address]))),
    async close() {
      door.close();
      const open = [...connections];
      connections.clear();
      await Promise.all(open.map((grpc) => grpc.close(1_500)));
    },
  };
}
