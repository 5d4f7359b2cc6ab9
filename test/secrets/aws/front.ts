import { type IncomingHttpHeaders, request as send } from "node:http";
import { serve } from "../../listening.js";
import { sendEndless } from "../stand-ins/server.js";

/** What a client gets in place of AWS's answer; `undefined`: that one. */
export type Answer =
  | {
      readonly status: number;
      readonly type?: string;
      readonly body?: string;
      readonly headers?: IncomingHttpHeaders;
    }
  | "cut"
  | "endless"
  | "none"
  | undefined;

/** Stands before an imitation of AWS, notes what is asked, and answers some of it itself. */
export interface AwsFront {
  readonly port: number;
  /** The operations asked for since the last `disturb`, such as `secretsmanager.GetSecretValue`. */
  readonly operations: string[];
  disturb(answerOf?: (operation: string, number: number) => Answer): void;
  close(): Promise<void>;
}

export async function startAwsFront(target: number): Promise<AwsFront> {
  let answerOf: (operation: string, number: number) => Answer = () => undefined;
  const operations: string[] = [];
  const { port, close } = await serve((request, response) => {
    const operation = String(request.headers["x-amz-target"]);
    const answer = answerOf(operation, operations.push(operation) - 1);
    if (answer === "none") return void request.resume();
    if (answer === "endless") return sendEndless(response, "{");
    if (answer === "cut") {
      response
        .writeHead(200, { "content-length": "100000" })
        .write('{"SecretString":"kanarie-49-answer-vogel');
      return void setImmediate(() => response.destroy());
    }
    if (answer) {
      const { status, type = "application/x-amz-json-1.1", headers, body = "" } = answer;
      request.resume();
      return void response.writeHead(status, { "content-type": type, ...headers }).end(body);
    }
    const { method, url: path, headers } = request;
    const onward = send({ host: "127.0.0.1", port: target, method, path, headers }, (theirs) => {
      response.writeHead(theirs.statusCode ?? 500, theirs.headers);
      theirs.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  return {
    ...{ port, close, operations },
    disturb(next = () => undefined) {
      answerOf = next;
      operations.length = 0;
    },
  };
}
