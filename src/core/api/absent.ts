import { ServiceError } from "./errors.js";

/**
 * Turns "not found" into undefined. An HTML page does not come from the service, so it stays an error:
 * otherwise a wrong base_url would look like missing objects, and all would be created again.
 */
export async function absentIfUnknown<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not-found" && !error.fromProxy) return undefined;
    throw error;
  }
}
