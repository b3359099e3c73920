import type * as z from "zod";
import { adrFile, adrId, LAST_NUMBER, nextAdrNumber } from "#domain/adr/adr.ts";
import { renderAdr, restateAdr } from "#domain/adr/document.ts";
import { addAdr } from "#domain/change/change.ts";
import { Fault } from "#domain/fault.ts";
import { ADRS, changeAdrs, CHANGES, inFolder, type Path } from "#domain/workspace/path.ts";
import { type ShelvedChange } from "../change/census.ts";
import { chooseChange, recordStep, unfinishedChanges } from "../change/shelf.ts";
import { commit } from "../engine.ts";
import { operation } from "../operation.ts";
import type { LockedTree, Plan, Step } from "../ports/store.ts";
import type { AdrRecord, AdrRecorded } from "./schema.ts";
import { type AdrPlace, findAdr, refuseSuperseded, textOf, viewAdr } from "./shelf.ts";
import { adrPage, type View } from "./view.ts";

type Input = z.infer<typeof AdrRecord>;
type Output = z.infer<typeof AdrRecorded>;

export const recordAdr = operation<Input, Output>({
  id: "adr.record",
  effect: "append",
  input: async () => (await import("./schema.ts")).AdrRecord,
  output: async () => (await import("./schema.ts")).AdrRecorded,
  run: (engine, input) => commit(engine, (tree) => planAdr(tree, input, engine.clock.now())),
  page({ adr, superseded }) {
    const page = adrPage(`${adr.ref} is recorded.`, adr);
    return superseded ? { ...page, points: [`${superseded.ref} is superseded.`] } : page;
  },
});

/** Returns a plan, so that other operations can write it in the same commit. */
export function planAdr(tree: LockedTree, input: Input, at: string): Plan<Output> {
  if (input.status === "superseded") {
    throw new Fault("adr.successor", {
      what: "The decision cannot be recorded as superseded.",
      why: "It would have no successor.",
      fix: { operation: "adr.record", input: { title: "…", status: "deprecated" } },
    });
  }
  const change = homeOf(tree, input);
  const folder = change ? changeAdrs(CHANGES, change.record.id) : ADRS;
  const counter = change ? `adr/${change.record.id}` : "adr";
  const number = nextAdrNumber(tree.names(folder), tree.counter(counter));
  if (number > LAST_NUMBER) throw tooMany(folder);
  const id = adrId(number, change !== undefined);
  const path = inFolder(folder, adrFile(id, input.title, change !== undefined));
  const place: AdrPlace = { id, path, ref: change ? `${change.record.id}/${id}` : id };
  const old = input.supersedes === undefined ? undefined : supersede(tree, input.supersedes, place.ref, at, change);
  const { standalone: _, ...said } = input;
  const text = renderAdr({
    ...said,
    id,
    status: input.status ?? "accepted",
    change_id: change?.record.id,
    supersedes: old?.view.ref,
    created_at: at,
  });
  const adr = viewAdr(place, text);
  return {
    steps: [
      { kind: "document", path, text },
      ...(old ? [old.step] : []),
      ...(change ? [recordStep(addAdr(change.record, id, at))] : []),
    ],
    counters: { [counter]: number },
    occurrences: [
      { kind: "adr.recorded", subject: adr.ref, data: { title: adr.title, status: adr.status, path } },
      ...(old ? [{ kind: "adr.restated", subject: old.view.ref, data: { status: "superseded", by: adr.ref } }] : []),
    ],
    result: { adr, ...(old ? { superseded: old.view } : {}) },
  };
}

function tooMany(folder: Path): Fault {
  return new Fault("adr.too-many", {
    what: "The decision cannot be recorded.",
    why: `The numbers in ${folder} go up to ${LAST_NUMBER}, and a decision there has the last one.`,
    fix: `ls ${folder} | tail`,
  });
}

/** The named change, else the only active one, else none. */
function homeOf(tree: LockedTree, input: Input): ShelvedChange | undefined {
  if (input.standalone) {
    if (input.change_id === undefined) return undefined;
    throw new Fault("input.invalid", {
      what: "The decision cannot be recorded.",
      why: "It was said to belong to a change and to stand alone.",
      fix: "Give change_id or standalone, not both.",
    });
  }
  if (input.change_id === undefined && unfinishedChanges(tree).length === 0) return undefined;
  const change = chooseChange(tree, input.change_id, "adr.record");
  if (change.shelf === CHANGES && change.record.status !== "abandoned") return change;
  throw new Fault("adr.change-closed", {
    what: `The decision cannot be recorded in ${change.record.id}.`,
    why: `That change is ${change.record.status}.`,
    fix: { operation: "adr.record", input: { title: "…", standalone: true } },
  });
}

function supersede(
  tree: LockedTree,
  reference: string,
  successor: string,
  at: string,
  near: ShelvedChange | undefined,
): { view: View; step: Step } {
  const place = findAdr(tree, reference, near);
  const text = textOf(tree, place);
  refuseSuperseded(viewAdr(place, text));
  const restated = restateAdr(place.id, text, { status: "superseded", at, superseded_by: successor });
  return { view: viewAdr(place, restated), step: { kind: "document", path: place.path, text: restated } };
}
