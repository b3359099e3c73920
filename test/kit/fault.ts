import { Fault } from "#kernel/model/fault.ts";

export interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** What a call is refused with. An error that is no fault goes on, and a call that succeeds is an error. */
export async function refusal(call: Promise<unknown>): Promise<Refusal> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Fault) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error("It was not refused.");
}
