import { type Account, openAccount, type SessionToken } from "./account.js";
import { type Dashboard, openDashboard } from "./dashboard.js";
import type { DataFile } from "./data-file.js";
import { type Dataset, emptyDataset } from "./dataset.js";
import { EmulatorInputError } from "./input-error.js";
import type { Sources } from "./resource.js";

/** The accounts of an emulator, and their keys. */
export interface Accounts {
  first: Dashboard;
  findAccount(apiKey: string | undefined): Account | undefined;
  /** The account of a session token, and what it was given for. */
  findSession(token: string | undefined): { account: Account; session: SessionToken } | undefined;
  findDashboard(apiKey: string | undefined): Dashboard | undefined;
  /** Throws EmulatorInputError for a name without a key. */
  dashboardNamed(name: string): Dashboard;
  /** Schedules a write of the data file, as each change does. */
  save(): void;
}

export interface AccountOptions {
  /** Account names by key. */
  apiKeys: Record<string, string>;
  /** Initial data of accounts, by name; the data file takes precedence. */
  worlds: Record<string, Dataset>;
  /** Initial data of the first account, if it is not in `worlds`. */
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
    // The file may have accounts without a key in this run.
    dataFile?.save({ ...dataFile.worlds, ...Object.fromEntries(current) });
  };
  const openNamed = (name: string) => {
    const given = worlds[name] ?? (opened.size === 0 ? firstWorld : undefined);
    const account = openAccount(name, dataFile?.worlds?.[name] ?? given ?? emptyDataset(), save);
    return { account, dashboard: openDashboard(account, sources) };
  };
  for (const name of new Set(Object.values(apiKeys))) opened.set(name, openNamed(name));
  const [first] = opened.values();
  if (!first) throw new EmulatorInputError("options", "apiKeys must have at least one key");
  const names = new Map(Object.entries(apiKeys));
  const openedBy = (apiKey = "") => opened.get(names.get(apiKey) ?? "");
  return {
    first: first.dashboard,
    save,
    findAccount: (apiKey) => openedBy(apiKey)?.account,
    findDashboard: (apiKey) => openedBy(apiKey)?.dashboard,
    findSession(token = "") {
      const accounts = Array.from(opened.values(), ({ account }) => account);
      const account = accounts.find(({ sessionTokens }) => sessionTokens.has(token));
      const session = account?.sessionTokens.get(token);
      return account && session && { account, session };
    },
    dashboardNamed(name) {
      const named = opened.get(name);
      if (!named) throw new EmulatorInputError("options", `there is no account "${name}"`);
      return named.dashboard;
    },
  };
}
