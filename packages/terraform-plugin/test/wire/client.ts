import { type ClientHttp2Stream, connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { connect as connectSocket, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Draft, Message, MessageOf } from "../../src/protocol/protobuf.js";
import { type RpcName, rpcs } from "../../src/protocol/rpcs.js";

/** What a core sees of a call that was made over a real connection. */
export interface Answer {
  /** Status of gRPC: 0 is well. */
  readonly status: number;
  readonly message: string;
  readonly body: Buffer;
}

/** A core's end of a connection, as far as tests need one. */
export interface Client {
  /** @throws Error with status and message, when the answer is not well. */
  call<Name extends RpcName>(
    name: Name,
    request: Draft<(typeof rpcs)[Name]["request"]>,
  ): Promise<MessageOf<(typeof rpcs)[Name]["response"]>>;
  /** The same, with every response of a call that may have several. */
  stream<Name extends RpcName>(
    name: Name,
    request: Draft<(typeof rpcs)[Name]["request"]>,
  ): Promise<MessageOf<(typeof rpcs)[Name]["response"]>[]>;
  /** Sends bytes as they are, piece by piece, each in an HTTP/2 frame of its own. */
  send(path: string, ...pieces: Uint8Array[]): Promise<Answer>;
  open(path: string): ClientHttp2Stream;
  /** Resolves when the connection is no more. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

export interface Address {
  readonly network: string;
  readonly address: string;
}

/** What TLS needs: who the caller is, and the one server it trusts. */
export interface Trust {
  readonly key?: string;
  readonly cert?: string;
  readonly ca: string;
}

/** Rejects when the connection is refused. */
export async function connect(at: Address, trust?: Trust): Promise<Client> {
  const socket = trust ? secured(socketTo(at), trust) : socketTo(at);
  const session = connectHttp2(trust ? "https://localhost" : "http://localhost", {
    createConnection: () => socket,
    settings: { initialWindowSize: 16 * 1024 * 1024 },
  });
  const closed = new Promise<void>((resolve) => session.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    // With TLS 1.3 a server turns a caller away after the caller thinks it is in, and only the socket tells.
    for (const end of [socket, session]) end.on("error", reject);
    session.once("remoteSettings", () => resolve());
    session.once("close", () => reject(new Error("The connection was closed.")));
  });

  function open(path: string): ClientHttp2Stream {
    return session.request({
      ":method": "POST",
      ":path": path,
      te: "trailers",
      "content-type": "application/grpc",
    });
  }

  const stream: Client["stream"] = async (name, given) => {
    const { request, response } = rpcs[name] as unknown as {
      request: Message<unknown, typeof given>;
      response: Message<MessageOf<(typeof rpcs)[typeof name]["response"]>, unknown>;
    };
    const call = open(`/tfplugin6.Provider/${name}`);
    const answering = answerOf(call);
    call.end(frameOf(request.encode(given)));
    const { status, message, body } = await answering;
    if (status !== 0) throw new Error(`${status}: ${message}`);
    return messagesIn(body).map((one) => response.decode(one));
  };

  return {
    open,
    closed,
    stream,
    async send(path, ...pieces) {
      const stream = open(path);
      const answer = answerOf(stream);
      for (const piece of pieces) await new Promise((resolve) => stream.write(piece, resolve));
      stream.end();
      return answer;
    },
    async call(name, given) {
      const [only, ...others] = await stream(name, given);
      if (!only || others.length > 0) throw new Error(`${name} had ${others.length + 1} responses.`);
      return only;
    },
    async close() {
      session.close();
      await closed;
    },
  };
}

/** The messages in what gRPC has sent. */
function messagesIn(body: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const end = at + 5 + body.readUInt32BE(at + 1);
    messages.push(body.subarray(at + 5, end));
    at = end;
  }
  return messages;
}

/** A message as gRPC sends it. */
export function frameOf(message: Uint8Array, flag = 0): Buffer {
  const head = Buffer.of(flag, 0, 0, 0, 0);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** The end of a call. */
export function answerOf(stream: ClientHttp2Stream): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let told: IncomingHttpHeaders = {};
    stream.on("response", (headers) => (told = { ...told, ...headers }));
    stream.on("trailers", (trailers) => (told = { ...told, ...trailers }));
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("error", reject);
    stream.on("close", () => {
      if (told["grpc-status"] === undefined) return reject(new Error("The call ended without a status."));
      const message = decodeURIComponent(String(told["grpc-message"] ?? ""));
      resolve({ status: Number(told["grpc-status"]), message, body: Buffer.concat(chunks) });
    });
  });
}

function socketTo({ network, address }: Address): Socket {
  if (network === "unix") return connectSocket({ path: address });
  const [host = "", port] = address.split(":");
  return connectSocket({ host, port: Number(port) });
}

function secured(socket: Socket, trust: Trust): Socket {
  return connectTls({ socket, ...trust, servername: "localhost", ALPNProtocols: ["h2"] });
}
