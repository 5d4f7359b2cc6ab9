/** SOPS files in every run, with a program that stands in for SOPS; with the real one: test/real/sops.test.ts. */
import path from "node:path";
import { describeFailures, describeSops, fixtures } from "./sops/suite.js";

describeSops("with the stand-in", `${process.execPath} ${path.join(fixtures, "stand-in.mjs")}`);
describeFailures();
