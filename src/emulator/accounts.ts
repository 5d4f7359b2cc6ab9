import { type Account, openAccount } from "./account.js";
import { type Dashboard, openDashboard } from "./dashboard.js";
import type { DataFile } from "./data-file.js";
import { type Dataset, emptyDataset } from "./dataset.js";
import { EmulatorInputError } from "./input-error.js";
import type { Sources } from "./resource.js";

/** The accounts of one emulator, and which key opens which. */
export interface Accounts {
  first: Dashboard;
  accountOf(apiKey: string | undefined): Account | undefined;
  dashboardOf(apiKey: string | undefined): Dashboard | undefined;
  /** Throws EmulatorInputError for a name no key belongs to. */
  dashboardNamed(name: string): Dashboard;
}

export interface AccountOptions {
  /** Account names by key. */
  apiKeys: Record<string, string>;
  /** What accounts store at the start, by name; what the data file holds goes before it. */
  worlds: Record<string, Dataset>;
  /** What the first account stores at the start, if it is not among the worlds. */
  firstWorld: Dataset | undefined;
}

export function openAccounts(
  { apiKeys, worlds, firstWorld }: AccountOptions,
  dataFile: DataFile | undefined,
  sources: Sources,
): Accounts {
  const opened = new Map<string, { account: Account; dashboard: Dashboard }>();
  const save = () => {
    const current = Array.from(opened, ([name, { account }]) => [name, account.world]);
    // The file may hold accounts that have no key in this run.
    dataFile?.save({ ...dataFile.worlds, ...Object.fromEntries(current) });
  };
  const openNamed = (name: string) => {
    const given = worlds[name] ?? (opened.size === 0 ? firstWorld : undefined);
    const account = openAccount(name, dataFile?.worlds?.[name] ?? given ?? emptyDataset(), save);
    return { account, dashboard: openDashboard(account, sources) };
  };
  for (const name of new Set(Object.values(apiKeys))) opened.set(name, openNamed(name));
  const [first] = opened.values();
  if (!first) throw new EmulatorInputError("options", "apiKeys has no key in it");
  const names = new Map(Object.entries(apiKeys));
  const openedBy = (apiKey = "") => opened.get(names.get(apiKey) ?? "");
  return {
    first: first.dashboard,
    accountOf: (apiKey) => openedBy(apiKey)?.account,
    dashboardOf: (apiKey) => openedBy(apiKey)?.dashboard,
    dashboardNamed(name) {
      const named = opened.get(name);
      if (!named) throw new EmulatorInputError("options", `there is no account "${name}"`);
      return named.dashboard;
    },
  };
}
