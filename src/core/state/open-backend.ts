import { findUrlProblem, hideUrl, readScheme } from "../../base/files/index.js";
import { capitalise } from "../../base/text/index.js";
import { StateError } from "./state-error.js";
import type { StoreBackend, StoreEnvironment } from "./store-backend.js";
import { openFileStore } from "./stores/file.js";

type OpenStore = (url: URL, environment: StoreEnvironment) => Promise<StoreBackend>;

/** Loaders of all stores except files, by URL scheme. */
const stores: Readonly<Record<string, () => Promise<OpenStore>>> = {
  "git+refs": async () => (await import("./stores/git.js")).openGitStore,
  https: async () => (await import("./stores/http.js")).openHttpStore,
  http: async () => (await import("./stores/http.js")).openHttpStore,
  s3: async () => (await import("./stores/s3.js")).openS3Store,
  postgres: async () => (await import("./stores/postgres.js")).openPostgresStore,
  postgresql: async () => (await import("./stores/postgres.js")).openPostgresStore,
};

/**
 * Opens the store at a location (absolute path or URL).
 *
 * @throws StateError `unknown-store`, or a store error.
 */
export async function openBackend(location: string, environment: StoreEnvironment): Promise<StoreBackend> {
  if (environment.openBackend) return environment.openBackend(location, environment);
  const scheme = readScheme(location);
  if (scheme === undefined) return openFileStore(location, environment, environment.root);
  rejectCredentials(location);
  const load = stores[scheme];
  if (!load) throw createUnknownStoreError(location);
  const open = await load();
  return open(new URL(location), environment);
}

function rejectCredentials(location: string): void {
  const found = findUrlProblem(location);
  if (!found) return;
  const { code, problem, advice } = found;
  const shown = hideUrl(location);
  throw new StateError(code, shown, `The state URL ${problem} (${shown}). ${capitalise(advice)}.`);
}

function createUnknownStoreError(location: string): StateError {
  const shown = hideUrl(location);
  return new StateError(
    "unknown-store",
    shown,
    `${shown} is not a supported state store. Use a file in the project, or a URL that starts with one of: ${Object.keys(
      stores,
    )
      .map((scheme) => `${scheme}://`)
      .join(", ")}.`,
  );
}
