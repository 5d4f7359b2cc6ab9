/**
 * Waits for Ctrl-C. The interpreter can be told to give up a script at SIGINT, and hears of it in a thread of its own;
 * after that, the next SIGINT is the system's again. A second thread has no other way to hear of a signal.
 */
const wait = `
const { parentPort } = require("node:worker_threads");
const { runInThisContext } = require("node:vm");
try {
  runInThisContext("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)", { breakOnSigint: true });
} catch (error) {
  parentPort.postMessage("SIGINT");
}
`;

/**
 * Calls back at Ctrl-C, once. Another one ends the process although this thread computes and cannot be called back.
 * Returns how to take it back.
 */
export function onInterrupt(ours: NodeJS.Process, callback: (signal: string) => void): () => void {
  const listener = () => callback("SIGINT");
  // Until the other thread waits, and where there is none.
  ours.on("SIGINT", listener);
  // Loaded late: most commands need none.
  const { Worker } = ours.getBuiltinModule("node:worker_threads");
  const thread = new Worker(wait, { eval: true });
  thread.unref();
  thread.on("message", listener).on("error", () => {});
  return () => {
    ours.off("SIGINT", listener);
    void thread.terminate();
  };
}
