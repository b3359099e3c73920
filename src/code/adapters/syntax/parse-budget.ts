/** A file of 1 MB needs 10,000 to 100,000 parser steps. */
export const MAX_PARSE_STEPS = 150_000;
const STEPS_PER_REPORT = 1_000;

/** Limits parsing by work instead of time, so that the result does not depend on the load of the machine. */
export class ParseBudget {
  readonly #limit: number;
  readonly #report: () => void;
  #steps = 0;

  /** `report` is called now and then while parsing goes on. */
  constructor(limit: number, report: () => void = () => undefined) {
    this.#limit = limit;
    this.#report = report;
  }

  /** Counts one step and returns whether the budget is exceeded. */
  exceedsLimit(): boolean {
    if (++this.#steps % STEPS_PER_REPORT === 0) this.#report();
    return this.#steps > this.#limit;
  }
}
