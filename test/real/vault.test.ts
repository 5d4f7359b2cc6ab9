import { describe } from "vitest";
import { describeVault } from "../secrets/vault/suite.js";
import { hasVault, startVault } from "./vault.js";

describe.skipIf(!hasVault())("Vault", () => {
  describeVault("as its makers build it", startVault);
});
