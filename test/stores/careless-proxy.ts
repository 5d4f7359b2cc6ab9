import { request as send } from "node:http";
import { type Listening, serve } from "../listening.js";

/** Starts an HTTP proxy that drops one request header. */
export function startCarelessProxy(target: number, ignored: string): Promise<Listening> {
  return serve((request, response) => {
    const { [ignored]: _, ...headers } = request.headers;
    const { method, url } = request;
    const onward = send({ host: "127.0.0.1", port: target, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
}
