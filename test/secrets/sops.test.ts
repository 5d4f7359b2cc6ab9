/** SOPS files in every run, with a program that stands in for SOPS; with the real one: test/real/sops.test.ts. */
import path from "node:path";
import { startSops } from "./sops/source.js";
import { describeFailures, describeSops, fixtures } from "./sops/suite.js";
import { describeSource } from "./sources/compliance.js";

const standIn = `"${process.execPath}" "${path.join(fixtures, "stand-in.mjs")}"`;
describeSops("with the stand-in", standIn);
describeFailures();
describeSource("sops", () => startSops(standIn));
