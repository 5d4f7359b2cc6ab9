/**
 * State client in a killable process. Performs the steps that its parent sends, with the built library. Each
 * message is `{ step, …arguments }`. Each reply is `{ seen }`, `{ session }` or `{ error }` with the error code.
 */
import path from "node:path";

const [, , module] = process.argv;
const { openStore } = await import(module);
const { nodeSystem } = await import(path.join(path.dirname(module), "../../base/system/index.js"));
const service = "https://api.example.com";
let store;
let session;
let skew = 0;

const steps = {
  open({ location, root, environment, host, patienceMs }) {
    // The AWS SDK reads credentials from the environment of its process.
    Object.assign(process.env, environment);
    store = openStore(location, {
      ...{ root, environment, host, pid: process.pid, patienceMs },
      system: { ...nodeSystem, now: () => Date.now() + skew },
    });
    session = undefined;
    skew = 0;
  },
  skew({ ms }) {
    skew = ms;
  },
  async read() {
    return { seen: toView((await store.read())?.state) };
  },
  async lock({ name, timeoutMs, takesOver }) {
    session = await store.lock({ command: name, timeoutMs, takesOver: () => takesOver });
    return { seen: toView(await session.begin(service)) };
  },
  intent: ({ address, value }) =>
    session.recordIntent({
      ...{ address, action: "create", label: address, known: [], at: new Date().toISOString() },
      sent: { name: value },
    }),
  complete({ address, value }) {
    session.completeIntent(address, { id: value, applied: {} });
    return session.flush();
  },
  discard({ address }) {
    session.discardIntent(address);
    return session.flush();
  },
  commit: async () => ({ seen: toView(await session.commit()) }),
  release: () => session.release(),
  async unlock() {
    return { session: (await store.unlock({ force: true }))?.command };
  },
};

function toView(state) {
  const { serial = 0, objects = {}, pending = {} } = state ?? {};
  const map = (all, text) => Object.fromEntries(Object.entries(all).map(([key, one]) => [key, text(one)]));
  return { serial, objects: map(objects, ({ id }) => id), pending: map(pending, ({ sent }) => sent.name) };
}

process.on("message", async ({ step, ...given }) => {
  try {
    process.send((await steps[step](given)) ?? {});
  } catch (error) {
    process.send({ error: error.code ?? "unknown", message: error.stack });
  }
});
process.send({});
