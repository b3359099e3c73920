import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import type { Manage, Managed } from "./schema.ts";

export type Said = z.infer<typeof Manage>;
export type Output = z.infer<typeof Managed>;
export type Input = Said & Pick<Output, "action">;

export type Done = Pick<Output, "written" | "notes"> & Pick<Output, "done" | "text">;

export const NOTHING: Done = { written: [], notes: [] };

export function needed<K extends keyof Input>(input: Input, names: readonly K[]): void {
  const missing = names.filter((name) => input[name] === undefined);
  if (missing.length === 0) return;
  const given = Object.fromEntries(
    (["action", "name", "answer", "type"] as const).flatMap((name) =>
      input[name] === undefined ? [] : [[name, input[name]]],
    ),
  );
  throw new Fault("input.missing", {
    what: "Nothing was done.",
    why: `${[input.action, input.answer].filter((word) => word !== undefined).join(" ")} needs ${missing.join(" and ")}.`,
    fix: {
      operation: "knowledge.manage",
      input: { ...given, ...Object.fromEntries(missing.map((name) => [name, "…"])) },
    },
  });
}

export function unknown(what: string, name: string, known: readonly string[], action: Input["action"]): Fault {
  return new Fault("knowledge.unknown", {
    what: "Nothing was done.",
    why: `No ${what} is called ${quote(name, 100)}; ${
      known.length === 0 ? "there is none" : `there are ${known.slice(0, 20).join(", ")}`
    }.`,
    fix: { operation: "knowledge.manage", input: { action } },
  });
}
