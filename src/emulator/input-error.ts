/** Invalid input for the emulator. `about` names the input. */
export class EmulatorInputError extends Error {
  readonly code = "emulator-input";
  readonly about: "fault" | "behavior" | "edit" | "request";

  constructor(about: EmulatorInputError["about"], message: string) {
    super(`${about}: ${message}`);
    this.name = "EmulatorInputError";
    this.about = about;
  }
}
