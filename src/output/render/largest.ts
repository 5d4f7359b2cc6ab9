/** The largest number, and at least `least`. A long list cannot be spread into a call of Math.max. */
export function largest(numbers: readonly number[], least: number): number {
  return numbers.reduce((most, number) => Math.max(most, number), least);
}
