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

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Calls back when the user or the system asks to stop. Returns a function that unsubscribes. */
export function onStop(ours: NodeJS.Process, callback: (signal: string) => void): () => void {
  const listeners = stopSignals.map((signal) => [signal, () => callback(signal)] as const);
  for (const [signal, listener] of listeners) ours.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) ours.off(signal, listener);
  };
}

/**
 * The same; and after the first Ctrl-C, the next one ends the process even while this thread computes and cannot
 * handle events.
 */
export function onInterrupt(ours: NodeJS.Process, callback: (signal: string) => void): () => void {
  // Also until the other thread is ready, and where it cannot run.
  const forget = onStop(ours, callback);
  // Loaded on demand: most commands do not need it.
  const { Worker } = ours.getBuiltinModule("node:worker_threads");
  const thread = new Worker(wait, { eval: true });
  thread.unref();
  thread.on("message", callback).on("error", () => {});
  return () => {
    forget();
    void thread.terminate();
  };
}
