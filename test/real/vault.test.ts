import { describe } from "vitest";
import { describeVault } from "../secrets/vault/suite.js";
import { startVault } from "./vault.js";

describe("Vault", { tags: "vault" }, () => {
  describeVault("as its makers build it", startVault);
});
