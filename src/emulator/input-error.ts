/** Invalid input for the emulator itself; `about` names the input. */
export class EmulatorInputError extends Error {
  readonly code = "emulator-input";
  readonly about: "fault" | "behaviour" | "edit" | "clock" | "request" | "data file";

  constructor(about: EmulatorInputError["about"], message: string, options?: ErrorOptions) {
    super(`${about}: ${message}`, options);
    this.name = "EmulatorInputError";
    this.about = about;
  }
}
