import type * as z from "zod";
import { restateAdr } from "#domain/adr/document.ts";
import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import { CHANGES } from "#domain/workspace/path.ts";
import { unfinishedChanges } from "../change/shelf.ts";
import { commit } from "../engine.ts";
import { operation } from "../operation.ts";
import type { LockedTree, Plan } from "../ports/store.ts";
import type { AdrRestate, AdrRestated } from "./schema.ts";
import { type AdrPlace, findAdr, refuseSuperseded, textOf, viewAdr } from "./shelf.ts";
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
  refuseMismatch(input);
  const [only, second] = unfinishedChanges(tree);
  const near = only && !second ? { shelf: CHANGES, record: only } : undefined;
  const place = findAdr(tree, input.adr, near);
  const before = textOf(tree, place);
  const present = viewAdr(place, before);
  refuseSuperseded(present);
  const successor = input.superseded_by === undefined ? undefined : findAdr(tree, input.superseded_by, near);
  if (successor) refuseCircle(tree, place, successor);
  if (present.status === input.status) return { steps: [], occurrences: [], result: { adr: present } };
  const text = restateAdr(place.id, before, { ...input, at, superseded_by: successor?.ref });
  const adr = viewAdr(place, text);
  return {
    steps: [{ kind: "document", path: place.path, text }],
    occurrences: [
      { kind: "adr.restated", subject: adr.ref, data: { status: adr.status, title: adr.title, path: place.path } },
    ],
    result: { adr },
  };
}

function refuseMismatch({ adr, status, superseded_by }: Input): void {
  if ((status === "superseded") === (superseded_by !== undefined)) return;
  throw new Fault("adr.successor", {
    what: `The status of ${quote(adr, 60)} cannot change to ${status}.`,
    why: "A superseded decision names its successor, and no other does.",
    fix: { operation: "adr.status", input: { adr, status: "superseded", superseded_by: "ADR-…" } },
  });
}

function refuseCircle(tree: LockedTree, place: AdrPlace, successor: AdrPlace): void {
  const seen = new Set<string>();
  for (let next: AdrPlace | undefined = successor; next && !seen.has(next.ref);) {
    if (next.ref === place.ref) {
      throw new Fault("adr.successor", {
        what: `${place.ref} cannot be superseded by ${successor.ref}.`,
        why: "The line of decisions would lead back to it.",
        fix: { operation: "adr.list" },
      });
    }
    seen.add(next.ref);
    const further: string | undefined = viewAdr(next, textOf(tree, next)).superseded_by;
    next = further === undefined ? undefined : findAdr(tree, further);
  }
}
