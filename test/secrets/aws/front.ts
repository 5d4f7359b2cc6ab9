import { type StandIn, startStandIn } from "../stand-ins/server.js";

/** Proxy in front of a simulated AWS. `requests` contains operations, such as `secretsmanager.GetSecretValue`. */
export interface AwsFront extends StandIn {
  /** Operations whose responses the fault replaces. */
  faulty: RegExp;
  /** Clears all requests and removes the fault. */
  reset(): void;
}

export async function startAwsFront(target: number): Promise<AwsFront> {
  const standIn = await startStandIn(
    async ({ method, url, headers, body }) => {
      const { host: _, connection: _kept, "content-length": _length, ...others } = headers;
      const theirs = { method, headers: others as Record<string, string>, body };
      const answer = await fetch(`http://127.0.0.1:${target}${url.pathname}${url.search}`, theirs);
      return { status: answer.status, body: await answer.text() };
    },
    ({ headers }) => front.faulty.test(String(headers["x-amz-target"])),
  );
  const front: AwsFront = Object.assign(standIn, {
    faulty: /./,
    reset() {
      Object.assign(front, { fault: undefined, instead: undefined, faulty: /./ });
      front.requests.length = 0;
    },
  });
  return front;
}
