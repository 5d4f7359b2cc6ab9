import { ServiceError } from "./errors.js";

/**
 * Turns "not found" into undefined. A page of HTML is not the service speaking, so it remains an error: taking a wrong
 * base_url for missing objects would have them all made anew.
 */
export async function absentIfUnknown<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not-found" && !error.fromProxy) return undefined;
    throw error;
  }
}
