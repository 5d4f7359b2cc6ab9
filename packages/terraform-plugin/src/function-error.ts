/** What is wrong with an argument of a function, counted from 0. */
export class FunctionError extends Error {
  readonly argument: number | undefined;

  constructor(message: string, argument?: number) {
    super(message);
    this.name = "FunctionError";
    this.argument = argument;
  }
}
