import { findUrlProblem, hideUrl, readScheme } from "../../base/files/index.js";
import { StateError } from "./state-error.js";
import type { StoreBackend, StoreEnvironment } from "./store-backend.js";
import { openFileStore } from "./stores/file.js";

/** Opens one sort of store: given a URL of its scheme. */
type OpenStore = (url: URL, environment: StoreEnvironment) => Promise<StoreBackend>;

/** The stores that are no file, by the scheme of their URL; loaded when one is used. */
const stores: Readonly<Record<string, () => Promise<OpenStore>>> = {
  "git+refs": async () => (await import("./stores/git.js")).openGitStore,
  https: async () => (await import("./stores/http.js")).openHttpStore,
  http: async () => (await import("./stores/http.js")).openHttpStore,
  s3: async () => (await import("./stores/s3.js")).openS3Store,
  postgres: async () => (await import("./stores/postgres.js")).openPostgresStore,
  postgresql: async () => (await import("./stores/postgres.js")).openPostgresStore,
};

/**
 * Opens the store at a location: an absolute path, or a URL.
 *
 * @throws StateError `unknown-store`; whatever the store throws.
 */
export async function openBackend(location: string, environment: StoreEnvironment): Promise<StoreBackend> {
  if (environment.openBackend) return environment.openBackend(location, environment);
  const scheme = readScheme(location);
  if (scheme === undefined) return openFileStore(location, environment, environment.root);
  refuseCredentials(location);
  const load = stores[scheme];
  if (!load) throw unknownStore(location);
  const open = await load();
  return open(new URL(location), environment);
}

function refuseCredentials(location: string): void {
  const found = findUrlProblem(location);
  if (!found) return;
  const { code, problem, advice } = found;
  const shown = hideUrl(location);
  throw new StateError(code, shown, `The URL of the state ${problem} (${shown}): ${advice}.`);
}

function unknownStore(location: string): StateError {
  const shown = hideUrl(location);
  return new StateError(
    "unknown-store",
    shown,
    `${shown} is not a supported store of states. Name a file in the project, or a URL that starts with one of: ${Object.keys(
      stores,
    )
      .map((scheme) => `${scheme}://`)
      .join(", ")}.`,
  );
}
