import { FAULT_MEANINGS } from "#kernel/model/fault-codes.ts";
import type { Struck } from "./injector.ts";
import type { Told } from "./oracle.ts";

type Ending = Omit<Struck, "hit">;

/** Somebody who was killed has said that it is done, or nothing. */
export function judgeKilledProcess({ signal, code, out, err }: Ending): Told {
  if (signal !== "SIGKILL") return { wrong: `it did not die but ended with ${code}: ${err}` };
  return out.endsWith("\n") ? "done" : "silent";
}

/** A program that lives must say in so many words how it ended. */
export function judgeEndedProcess({ signal, code, out, err }: Ending): Told {
  if (signal !== null) return { wrong: `it died of ${signal}` };
  if (code === 0) return out.endsWith("\n") ? "done" : { wrong: "it ended well without an answer" };
  const said = getFault(err);
  if (code !== 1 || said === undefined) return { wrong: `it ended with ${code}: ${err}${out}` };
  if (out !== "") return { wrong: `it failed and answered: ${out}` };
  if (said === "output.unwritable") return "done";
  return said === "store.pending" ? "pending" : "unchanged";
}

/** The code of the one fault that standard error holds, if that is all it holds besides notes. */
function getFault(err: string): string | undefined {
  const lines = err.split("\n").filter((line) => line !== "" && !line.startsWith("note: "));
  if (lines.length !== 1 || !lines[0]?.startsWith("{")) return undefined;
  const { error } = JSON.parse(lines[0]) as { error: { code: string; what: string; why: string; fix: string[] } };
  const isWhole = error.what !== "" && error.why !== "" && error.fix.length > 0;
  return error.code in FAULT_MEANINGS && isWhole ? error.code : undefined;
}
