/** `npm run simulate`: bundles the simulator, because code that is loaded in the middle of a life takes real time, and runs it. */
import { spawnSync } from "node:child_process";
import { bundleWithSwitches } from "./bundle.js";

const { file, remove } = await bundleWithSwitches("main.ts");
const { status } = spawnSync(process.execPath, [file, ...process.argv.slice(2)], { stdio: "inherit" });
remove();
process.exitCode = status ?? 1;
