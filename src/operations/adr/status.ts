import type * as z from "zod";
import { restateAdr } from "#domain/adr/document.ts";
import { Fault } from "#domain/fault.ts";
import { CHANGES } from "#domain/workspace/path.ts";
import { unfinishedChanges } from "../change/shelf.ts";
import { commit } from "../engine.ts";
import { operation } from "../operation.ts";
import type { LockedTree, Plan } from "../store.ts";
import type { AdrRestate, AdrRestated } from "./schema.ts";
import { findAdr, textOf, viewAdr } from "./shelf.ts";
import { adrPage } from "./view.ts";

type Input = z.infer<typeof AdrRestate>;
type Output = z.infer<typeof AdrRestated>;

export const restate = operation<Input, Output>({
  id: "adr.status",
  effect: "change",
  input: async () => (await import("./schema.ts")).AdrRestate,
  output: async () => (await import("./schema.ts")).AdrRestated,
  run: (engine, input) => commit(engine, (tree) => decide(tree, input, engine.clock.now())),
  page: ({ adr }) => adrPage(`${adr.ref} is ${adr.status}.`, adr),
});

function decide(tree: LockedTree, input: Input, at: string): Plan<Output> {
  if ((input.status === "superseded") !== (input.superseded_by !== undefined)) {
    throw new Fault("adr.successor", {
      what: `The status of ${input.adr} cannot change to ${input.status}.`,
      why: "A superseded decision names its successor, and no other does.",
      fix: { operation: "adr.status", input: { adr: input.adr, status: "superseded", superseded_by: "ADR-…" } },
    });
  }
  const [only, second] = unfinishedChanges(tree);
  const near = only && !second ? { shelf: CHANGES, record: only } : undefined;
  const place = findAdr(tree, input.adr, near);
  const successor = input.superseded_by === undefined ? undefined : findAdr(tree, input.superseded_by, near).ref;
  if (successor === place.ref) {
    throw new Fault("adr.successor", {
      what: `${place.ref} cannot be superseded by itself.`,
      why: "A successor is another decision.",
      fix: { operation: "adr.list" },
    });
  }
  const before = textOf(tree, place);
  const text = restateAdr(place.id, before, { ...input, at, superseded_by: successor });
  const adr = viewAdr(place, text);
  return {
    steps: [{ kind: "document", path: place.path, text }],
    occurrences: [
      { kind: "adr.restated", subject: adr.ref, data: { status: adr.status, title: adr.title, path: place.path } },
    ],
    result: { adr },
  };
}
