import { Client as Channel, type ClientReadableStream, credentials } from "@grpc/grpc-js";
import type { Message, MessageInput, MessageOf } from "../../src/protocol/protobuf.js";
import { type RpcName, rpcs } from "../../src/protocol/rpcs.js";

type Request<Name extends RpcName> = MessageInput<(typeof rpcs)[Name]["request"]>;
type Response<Name extends RpcName> = MessageOf<(typeof rpcs)[Name]["response"]>;

/** Terraform's side of a connection to a plugin. The first call opens the connection. */
export interface Client {
  /** @throws Error with status and message for a failed call. */
  call<Name extends RpcName>(name: Name, request: Request<Name>): Promise<Response<Name>>;
  stream<Name extends RpcName>(name: Name, request: Request<Name>): ClientReadableStream<Response<Name>>;
  /** Sends an empty message. */
  send(path: string): Promise<Buffer>;
  close(): void;
}

/** TLS settings: the client's own key and certificate, and the only server certificate that it trusts. */
export interface Trust {
  readonly key?: string;
  readonly cert?: string;
  readonly ca: string;
}

export function connect(address: string, trust?: Trust): Client {
  const channel = new Channel(`unix:${address}`, createChannelCredentials(trust), {
    "grpc.ssl_target_name_override": "localhost",
    "grpc.default_authority": "localhost",
    "grpc.max_receive_message_length": -1,
    "grpc.use_local_subchannel_pool": 1,
  });
  const partsOf = <Name extends RpcName>(name: Name) => {
    const { request, response } = rpcs[name] as unknown as {
      request: Message<unknown, Request<Name>>;
      response: Message<Response<Name>, unknown>;
    };
    const encode = (given: Request<Name>) => Buffer.from(request.encode(given));
    return [`/tfplugin6.Provider/${name}`, encode, response.decode] as const;
  };
  const unary = <In, Out>(
    path: string,
    encode: (given: In) => Buffer,
    decode: (sent: Buffer) => Out,
    given: In,
  ) =>
    new Promise<Out>((resolve, reject) =>
      channel.makeUnaryRequest(path, encode, decode, given, (error, response) =>
        error ? reject(error) : resolve(response as Out),
      ),
    );
  return {
    call: (name, given) => unary(...partsOf(name), given),
    stream: (name, given) => channel.makeServerStreamRequest(...partsOf(name), given),
    send: (path) => unary(path, Buffer.from, Buffer.from, Buffer.of()),
    close: () => channel.close(),
  };
}

function createChannelCredentials(trust: Trust | undefined) {
  if (!trust) return credentials.createInsecure();
  const { ca, key, cert } = trust;
  return credentials.createSsl(
    Buffer.from(ca),
    key ? Buffer.from(key) : null,
    cert ? Buffer.from(cert) : null,
  );
}
