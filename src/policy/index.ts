/** Rules that texts, names and plans must keep. */
export { judgeFiles } from "./judge.js";
export { loadManifest } from "./load.js";
