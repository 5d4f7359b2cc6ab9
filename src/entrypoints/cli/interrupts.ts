/**
 * Waits for Ctrl-C in a second thread. With `breakOnSigint`, V8 ends the script at SIGINT, and the next SIGINT has its
 * default effect. Threads cannot receive signals in any other way.
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

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Calls back on a stop signal. Returns a function that unsubscribes. */
export function onStop(nodeProcess: NodeJS.Process, callback: (signal: string) => void): () => void {
  const listeners = stopSignals.map((signal) => [signal, () => callback(signal)] as const);
  for (const [signal, listener] of listeners) nodeProcess.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) nodeProcess.off(signal, listener);
  };
}

/**
 * Calls back like `onStop`, but a second Ctrl-C ends the process even while this thread computes and cannot handle
 * events.
 */
export function onInterrupt(nodeProcess: NodeJS.Process, callback: (signal: string) => void): () => void {
  // Handles signals until the thread is ready, and on systems where it cannot run.
  const forget = onStop(nodeProcess, callback);
  // Worker threads are loaded on demand, because most commands do not need them.
  const { Worker } = nodeProcess.getBuiltinModule("node:worker_threads");
  const thread = new Worker(wait, { eval: true });
  thread.unref();
  thread.on("message", callback).on("error", () => {});
  return () => {
    forget();
    void thread.terminate();
  };
}
