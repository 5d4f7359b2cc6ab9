// @module-tag vault
import { describe } from "vitest";
import { describeVault } from "../secrets/vault/suite.js";
import { startVault } from "./vault.js";

describe("Vault", () => {
  describeVault("as its makers build it", startVault);
});
