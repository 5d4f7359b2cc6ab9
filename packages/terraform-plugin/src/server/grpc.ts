import { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import { Server, ServerCredentials, type ServerWritableStream, status } from "@grpc/grpc-js";
import { type Message, message } from "../protocol/protobuf.js";
import { type NewProviderServer, type ProviderServer, rpcs } from "../protocol/rpcs.js";
import type { Log } from "../provider.js";
import type { SchemaBytes } from "../schema/encode-schema.js";
import type { Certificate } from "./certificate.js";

/** Server for a single connection, because Terraform starts a separate process for each provider block. */
export interface GrpcServer {
  /** Takes over a connection that another listener accepted, now or earlier. */
  accept(socket: Socket): void;
  /** Stops accepting calls, waits up to `graceMs` for calls in progress, and closes the connection. */
  close(graceMs: number): Promise<void>;
}

/** Server certificate and key, and the only client certificate to accept (`ca`). */
export type TlsCredentials = Pick<Certificate, "cert" | "key"> & { readonly ca: string };

const options = {
  // Same message size limit as in the Go SDK.
  "grpc.max_receive_message_length": 256 * 1024 * 1024,
  "grpc.enable_channelz": 0,
};

const empty = message({});

/** Serves gRPC over mutual TLS, or unencrypted without credentials. */
export function openGrpc(input: {
  readonly load: () => Promise<NewProviderServer>;
  /** Responses that do not need a provider. */
  readonly schema?: SchemaBytes | undefined;
  readonly credentials?: TlsCredentials | undefined;
  readonly log: Log;
  /** Ends the process after Terraform has finished. */
  readonly shutDown: () => void;
}): GrpcServer {
  const { load, schema = {}, log } = input;
  const server = new Server(options);
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const inject = (socket: Socket) => injector.injectConnection(socket);
  const secure = input.credentials && openTls(input.credentials, inject);
  const sockets = new Set<Socket>();
  let instance: Promise<ProviderServer> | undefined;
  for (const [name, rpc] of Object.entries(rpcs)) {
    const prepared = schema[name];
    const { request, response } = rpc as Codecs;
    register(
      `/tfplugin6.Provider/${name}`,
      { request, response: prepared ? { encode: () => prepared } : response },
      async (given, send) => {
        if (prepared) return {};
        instance ??= load().then((newServer) => newServer({ log }));
        const method = (await instance).rpcs[name as keyof typeof rpcs];
        return method(given as never, send);
      },
    );
  }
  // Terraform calls no other go-plugin service: neither the health check nor the stdio and broker services.
  register("/plugin.GRPCController/Shutdown", { request: empty, response: empty }, async () => {
    // The response is still sent, because the process waits for calls in progress before it ends.
    input.shutDown();
    return {};
  });

  /** Registers a call. On the wire, a single response is a stream of one. */
  function register(path: string, { request, response }: Codecs, method: RpcMethod): void {
    const handle = async (call: ServerWritableStream<object, object>) => {
      try {
        const last = await method(call.request, (early) => call.write(early));
        if (last) call.write(last);
        call.end();
      } catch (error) {
        call.emit("error", { code: status.INTERNAL, details: reportBug(error, path) });
      }
    };
    const serialize = (given: object) => Buffer.from(response.encode(given));
    server.register(path, handle, serialize, request.decode, "serverStream");
  }

  /** Reports an internal error. Errors that the user can act on have already become diagnostics. */
  function reportBug(error: unknown, during: string): string {
    const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
    log("error", `Bug: ${during} failed`, { error: stack ?? message });
    return `This is a bug in the provider: ${message}`;
  }

  return {
    accept(socket) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      if (secure) secure(socket);
      else inject(socket);
    },
    async close(graceMs) {
      const ended = Promise.all(
        [...sockets].map((socket) => new Promise((resolve) => socket.on("close", resolve))),
      );
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      // With drain(), Node 24 and later drop the connection before the response is sent.
      injector.destroy();
      await ended;
      clearTimeout(timer);
      try {
        await (await instance)?.close();
      } catch (error) {
        reportBug(error, "Closing the provider");
      }
    },
  };
}

interface Codecs {
  readonly request: Pick<Message<object, object>, "decode">;
  readonly response: Pick<Message<object, object>, "encode">;
}

/** Sends all responses to a call except the last one, which it returns. */
type RpcMethod = (request: object, send: (response: object) => void) => Promise<object | undefined>;

/**
 * Accepts only TLS clients with the given certificate. Compares the certificate itself and leaves `ca` empty, because
 * Node 20 would otherwise parse its whole list of root certificates (30 ms per process).
 */
function openTls(
  { cert, key, ca }: TlsCredentials,
  inject: (socket: Socket) => void,
): (socket: Socket) => void {
  const expected = new X509Certificate(ca).raw;
  const options = { cert, key, ca: [], requestCert: true, rejectUnauthorized: false, ALPNProtocols: ["h2"] };
  const server = createServer(options, (socket: TLSSocket) => {
    if (socket.getPeerX509Certificate()?.raw.equals(expected)) inject(socket);
    else socket.destroy();
  });
  return (socket) => void server.emit("connection", socket);
}
