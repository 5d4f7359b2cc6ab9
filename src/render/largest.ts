/** The largest number, and at least `least`. A list that is spread into a call may be too long for one. */
export function largest(numbers: readonly number[], least: number): number {
  return numbers.reduce((most, number) => Math.max(most, number), least);
}
