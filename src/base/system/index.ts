export { type KeyCost, nodeSystem, type System, startTimer } from "./system.js";
