import path from "node:path";
import { importPackage } from "../../../base/optional-packages/index.js";
import { withRetries } from "../retry.js";
import type { StoreBackend, StoreEnvironment } from "../store-backend.js";
import { describeReason, namesFrom, refused, unreachable, wrongLocation } from "./errors.js";
import { openLockable, type SwapStore } from "./lock-by-swap.js";

/** A store that a package has. Whatever it throws says that it is not known what was done, unless its `code` is "refused". */
export type PackageStore = Omit<SwapStore, "names" | "isLockBranch">;

/** What such a package exports as `openStore`. It takes settings from the URL, and credentials from the environment. */
export type OpenPackageStore = (
  url: URL,
  environment: Readonly<Record<string, string | undefined>>,
) => PackageStore | Promise<PackageStore>;

/** A state in the store of a package that the project has installed: `package:@acme/state?bucket=states`. */
export async function openPackageStore(url: URL, environment: StoreEnvironment): Promise<StoreBackend> {
  const { href: location, pathname: name } = url;
  if (!/^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/.test(name))
    throw wrongLocation(
      location,
      "does not name a package: write package:NAME, with its settings after a ?.",
    );
  if (environment.isUntrusted)
    throw refused(
      location,
      "its package is code, which is not run for an untrusted change",
      "Use another store.",
    );
  const project = path.resolve(environment.root ?? "", "avatarops.js");
  const loading = importPackage<{ openStore?: OpenPackageStore }>(name, project);
  const { openStore } = await loading.catch((error: unknown) => {
    const advice = `Install it in the project folder: \`npm install ${name}\`.`;
    throw refused(location, `its package cannot be loaded (${describeReason(error)})`, advice, error);
  });
  if (typeof openStore !== "function")
    throw wrongLocation(location, "names a package that exports no function openStore.");
  const store = await translated(location, () => openStore(url, environment.environment ?? {}));
  return openLockable(toSwapStore(store, location, environment), environment);
}

/** The store of a package as one of ours, which asks again and throws StateError. */
export function toSwapStore(
  store: PackageStore,
  location: string,
  retry: Parameters<typeof withRetries>[0],
): SwapStore {
  return {
    names: namesFrom(location, "the store may keep earlier versions"),
    read: (...parts) => withRetries(retry, () => translated(location, () => store.read(...parts))),
    swap: (...given) => translated(location, () => store.swap(...given)),
    async *history() {
      const records = store.history()[Symbol.asyncIterator]();
      for (;;) {
        const next = await translated(location, () => records.next());
        if (next.done) return;
        yield next.value;
      }
    },
    close: async () => store.close?.(),
  };
}

async function translated<Of>(location: string, work: () => Of | Promise<Of>): Promise<Of> {
  try {
    return await work();
  } catch (error) {
    if (Object(error).code !== "refused") throw unreachable(location, describeReason(error), error);
    const advice = "Check `state:` in the manifest, and the credentials in the environment.";
    throw refused(location, describeReason(error), advice, error);
  }
}
