/**
 * Waits for Ctrl-C. V8 can be asked to terminate a script at SIGINT, and that works in a second thread; after
 * that, the next SIGINT has its default effect again. A second thread cannot receive signals in any other
 * way.
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
 * Calls back once, at the first Ctrl-C. The next one ends the process even while this thread computes and
 * cannot handle events. Returns a function that unsubscribes.
 */
export function onInterrupt(ours: NodeJS.Process, callback: (signal: string) => void): () => void {
  const listener = () => callback("SIGINT");
  // Until the other thread is ready, and where it cannot run.
  ours.on("SIGINT", listener);
  // Loaded on demand: most commands do not need it.
  const { Worker } = ours.getBuiltinModule("node:worker_threads");
  const thread = new Worker(wait, { eval: true });
  thread.unref();
  thread.on("message", listener).on("error", () => {});
  return () => {
    ours.off("SIGINT", listener);
    void thread.terminate();
  };
}
