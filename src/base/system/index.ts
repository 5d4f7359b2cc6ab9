export { type KeyCost, nodeSystem, type System } from "./system.js";
