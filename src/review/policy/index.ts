/** Rules that texts, names and plans must meet. */
export {
  createPolicyInput,
  type Policy,
  type PolicyDeclaration,
  type PolicyFinding,
  type PolicyInput,
} from "./function.js";
export { findErrors, judgeFiles, loadManifest } from "./judge.js";
export { judgeByFunctions } from "./judge-functions.js";
