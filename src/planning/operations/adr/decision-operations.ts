import type * as z from "zod";
import {
  type DecisionRecord,
  formatDecisionFileName,
  formatDecisionId,
  MAX_DECISION_NUMBER,
  getNextDecisionNumber,
  renderDecision,
  updateDecisionStatus,
} from "../../model/adr/decision-record.ts";
import { addDecisionToChange } from "../../model/change/change-lifecycle.ts";
import { Fault, ignoreFault } from "#kernel/model/fault.ts";
import { formatCount, quote, sanitizeText } from "#kernel/model/text-format.ts";
import type { Page } from "#kernel/model/page.ts";
import { ADR_FOLDER, getChangeAdrFolder, CHANGES_FOLDER, joinFolderPath } from "#kernel/model/workspace-paths.ts";
import type { StoredChange } from "../change/change-records.ts";
import { chooseActiveChange, createChangeRecordStep, listActiveChanges } from "../change/change-records.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { LockedStoreTree, StorePlan } from "#store/operations/ports/store.ts";
import type { PlanningEngine } from "../engine.ts";
import type { AdrRecord, AdrRecorded, AdrRestate, AdrRestated } from "./schema.ts";
import {
  type DecisionFile,
  type DecisionViewData,
  createDecisionView,
  DECISION_BLANKS,
  findDecisionFile,
  listChangeDecisions,
  listWorkspaceDecisions,
  loadDecisionViews,
  readDecisionFileText,
  requireNotSuperseded,
} from "./decision-files.ts";

const loadSchemas = () => import("./schema.ts");

export const recordDecisionOperation = defineOperation({
  id: "adr.record",
  effect: "append",
  input: async () => (await loadSchemas()).AdrRecord,
  output: async () => (await loadSchemas()).AdrRecorded,
  run: (engine: PlanningEngine, input) =>
    commitStoreWrite(engine, (tree) => planDecisionRecord(tree, input, engine.clock.now())),
  page({ adr, superseded }) {
    const page = formatDecisionPage(`${adr.ref} is recorded.`, adr);
    return superseded ? { ...page, points: [`${superseded.ref} is superseded.`] } : page;
  },
});

export const decisionStatusOperation = defineOperation({
  id: "adr.status",
  effect: "change",
  input: async () => (await loadSchemas()).AdrRestate,
  output: async () => (await loadSchemas()).AdrRestated,
  run: (engine: PlanningEngine, input) =>
    commitStoreWrite(engine, (tree) => planDecisionStatus(tree, input, engine.clock.now())),
  page: ({ adr }) => formatDecisionPage(`${adr.ref} is ${adr.status}.`, adr),
});

export const listDecisionsOperation = defineOperation({
  id: "adr.list",
  effect: "read",
  input: async () => (await loadSchemas()).AdrListQuery,
  output: async () => (await loadSchemas()).AdrList,
  async run(engine: PlanningEngine, { status, limit = 50 }) {
    const { adrs, damaged } = await engine.store.read(loadDecisionViews);
    const wanted = adrs.filter((adr) => status === undefined || adr.status === status).toReversed();
    return { adrs: wanted.slice(0, limit), damaged, omitted: Math.max(0, wanted.length - limit) };
  },
  page({ adrs, damaged, omitted }) {
    const rows = adrs.map((adr) => [adr.ref, adr.status, sanitizeText(adr.title, 80)]);
    const total = rows.length + omitted;
    return {
      title: total === 0 ? "No decisions." : `${formatCount(total, "decision")}.`,
      table: { columns: ["decision", "status", "title"], rows },
      points: [
        ...damaged.map(({ path, why }) => `${path} cannot be read: ${why}`),
        ...(omitted > 0 ? [`${omitted} older ones are left out.`] : []),
      ],
    };
  },
});

const formatDecisionPage = (title: string, adr: DecisionViewData): Page => ({
  title,
  facts: [
    ["decision", `${adr.ref}: ${sanitizeText(adr.title, 200)}`],
    ["status", adr.superseded_by ? `${adr.status} by ${adr.superseded_by}` : adr.status],
    ["file", adr.path],
    ...(adr.supersedes ? [["supersedes", adr.supersedes] as const] : []),
  ],
});

/** Returns a plan, so that other operations can write it in the same commit. */
export function planDecisionRecord(
  tree: LockedStoreTree,
  input: z.infer<typeof AdrRecord>,
  at: string,
  sections: DecisionRecord["sections"] = [],
): StorePlan<z.infer<typeof AdrRecorded>> {
  if (input.status === "superseded") {
    throw new Fault("adr.successor", {
      what: "The decision cannot be recorded as superseded.",
      why: "It has no successor.",
      fix: { operation: "adr.record", input: { ...DECISION_BLANKS, status: "deprecated" } },
    });
  }
  const change = chooseDecisionChange(tree, input);
  const folder = change ? getChangeAdrFolder(CHANGES_FOLDER, change.record.id) : ADR_FOLDER;
  const counter = change ? `adr/${change.record.id}` : "adr";
  const number = getNextDecisionNumber(tree.names(folder), tree.counter(counter));
  if (number > MAX_DECISION_NUMBER) {
    throw new Fault("adr.too-many", {
      what: "The decision cannot be recorded.",
      why: `The numbers in ${folder} go up to ${MAX_DECISION_NUMBER}, and a decision there has the last one.`,
      fix: `ls ${folder} | tail`,
    });
  }
  const settled = `settled ${counter}`;
  const isAllRead = tree.counter(formatProposedCounter(counter)) > 0;
  const proposals = listProposedDecisions(tree, change, isAllRead ? 0 : tree.counter(settled));
  const proposed = proposals.find(({ title }) => normalizeTitle(title) === normalizeTitle(input.title))?.place;
  const id = proposed?.id ?? formatDecisionId(number, change !== undefined);
  const path = proposed?.path ?? joinFolderPath(folder, formatDecisionFileName(id, input.title, change !== undefined));
  const ref = change ? `${change.record.id}/${id}` : id;
  const old = input.supersedes === undefined ? undefined : supersedeDecision(tree, input.supersedes, ref, at, change);
  const { standalone: _, ...said } = input;
  const text = renderDecision({
    ...said,
    sections,
    id,
    status: input.status ?? "accepted",
    change_id: change?.record.id,
    supersedes: old?.view.ref,
    created_at: at,
  });
  const adr = createDecisionView({ id, path, ref }, text);
  return {
    steps: [
      { kind: "document", path, text },
      ...(old ? [old.step] : []),
      ...(change && !proposed ? [createChangeRecordStep(addDecisionToChange(change.record, id, at))] : []),
    ],
    counters: {
      ...(proposed ? {} : { [counter]: number }),
      ...(proposals.length === 0 && input.status !== "proposed" ? { [settled]: number } : {}),
    },
    occurrences: [
      { kind: "adr.recorded", subject: adr.ref, data: { title: adr.title, status: adr.status, path } },
      ...(old ? [{ kind: "adr.restated", subject: old.view.ref, data: { status: "superseded", by: adr.ref } }] : []),
    ],
    result: { adr, ...(old ? { superseded: old.view } : {}) },
  };
}

/**
 * Recording a proposed decision again under its title updates it. Numbers up to `settled` were seen without a proposal,
 * so that a new decision does not read all others.
 */
function listProposedDecisions(tree: LockedStoreTree, change: StoredChange | undefined, settled: number) {
  const places = change ? listChangeDecisions(tree, change) : listWorkspaceDecisions(tree);
  return places.flatMap((place) => {
    if (Number(place.id.slice("ADR-".length)) <= settled) return [];
    const text = ignoreFault(() => readDecisionFileText(tree, place));
    if (!text?.includes("proposed")) return [];
    const view = ignoreFault(() => createDecisionView(place, text));
    return view?.status === "proposed" ? [{ place, title: view.title }] : [];
  });
}

/** Above 0 once an older decision became a proposal again. */
const formatProposedCounter = (counter: string): string => `proposed ${counter}`;

const normalizeTitle = (title: string): string => title.trim().toLowerCase().replace(/\s+/g, " ");

/** The named change, else the only active one, else none. */
function chooseDecisionChange(
  tree: LockedStoreTree,
  { standalone, change_id }: z.infer<typeof AdrRecord>,
): StoredChange | undefined {
  if (standalone) {
    if (change_id === undefined) return undefined;
    throw new Fault("input.invalid", {
      what: "The decision cannot be recorded.",
      why: "change_id and standalone were both given.",
      fix: "Give change_id or standalone, not both.",
    });
  }
  if (change_id === undefined && listActiveChanges(tree).length === 0) return undefined;
  const change = chooseActiveChange(tree, change_id, "adr.record");
  if (change.shelf === CHANGES_FOLDER && change.record.status !== "abandoned") return change;
  throw new Fault("adr.change-closed", {
    what: `The decision cannot be recorded in ${change.record.id}.`,
    why: `That change is ${change.record.status}.`,
    fix: { operation: "adr.record", input: { ...DECISION_BLANKS, standalone: true } },
  });
}

function supersedeDecision(
  tree: LockedStoreTree,
  reference: string,
  successor: string,
  at: string,
  near: StoredChange | undefined,
) {
  const place = findDecisionFile(tree, reference, near);
  const before = readDecisionFileText(tree, place);
  requireNotSuperseded(createDecisionView(place, before));
  const text = updateDecisionStatus(place.id, before, { status: "superseded", at, superseded_by: successor });
  return { view: createDecisionView(place, text), step: { kind: "document" as const, path: place.path, text } };
}

function planDecisionStatus(
  tree: LockedStoreTree,
  input: z.infer<typeof AdrRestate>,
  at: string,
): StorePlan<z.infer<typeof AdrRestated>> {
  if ((input.status === "superseded") !== (input.superseded_by !== undefined)) {
    throw new Fault("adr.successor", {
      what: `The status of ${quote(input.adr, 60)} cannot change to ${input.status}.`,
      why: "Only a superseded decision names its successor, and it must.",
      fix: { operation: "adr.status", input: { adr: input.adr, status: "superseded", superseded_by: "ADR-…" } },
    });
  }
  const [only, second] = listActiveChanges(tree);
  const near = only && !second ? { shelf: CHANGES_FOLDER, record: only } : undefined;
  const place = findDecisionFile(tree, input.adr, near);
  const before = readDecisionFileText(tree, place);
  const present = createDecisionView(place, before);
  requireNotSuperseded(present);
  const successor = input.superseded_by === undefined ? undefined : findDecisionFile(tree, input.superseded_by, near);
  if (successor) requireNoSuccessorCycle(tree, place, successor);
  if (present.status === input.status) return { steps: [], occurrences: [], result: { adr: present } };
  const text = updateDecisionStatus(place.id, before, { ...input, at, superseded_by: successor?.ref });
  const adr = createDecisionView(place, text);
  const [owner] = place.ref.split("/ADR-");
  const counter = owner === place.ref ? "adr" : `adr/${owner}`;
  return {
    steps: [{ kind: "document", path: place.path, text }],
    counters: input.status === "proposed" ? { [formatProposedCounter(counter)]: 1 } : {},
    occurrences: [
      { kind: "adr.restated", subject: adr.ref, data: { status: adr.status, title: adr.title, path: place.path } },
    ],
    result: { adr },
  };
}

function requireNoSuccessorCycle(tree: LockedStoreTree, place: DecisionFile, successor: DecisionFile): void {
  const seen = new Set<string>();
  for (let next: DecisionFile | undefined = successor; next && !seen.has(next.ref);) {
    if (next.ref === place.ref) {
      throw new Fault("adr.successor", {
        what: `${place.ref} cannot be superseded by ${successor.ref}.`,
        why: "The decisions would supersede each other in a circle.",
        fix: { operation: "adr.list" },
      });
    }
    seen.add(next.ref);
    const further: string | undefined = createDecisionView(next, readDecisionFileText(tree, next)).superseded_by;
    next = further === undefined ? undefined : findDecisionFile(tree, further);
  }
}
