import type * as z from "zod";
import { keepCheck, theActiveChange } from "#domain/change/change.ts";
import type { ChangeRecord } from "#domain/change/record.ts";
import type { ContextCheck, Fact } from "#domain/context/fact.ts";
import { structuralFacts } from "#domain/context/facts.ts";
import { type Document, isRemoved, type Piece, piecesOf } from "#domain/context/piece.ts";
import { keywordsOf, mostRelevant } from "#domain/context/relevance.ts";
import { count } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import type { Question } from "#domain/memory/question.ts";
import type { Page } from "#domain/page.ts";
import { BUSINESS_RULES, HISTORY, TASKS } from "#domain/workspace/path.ts";
import { everyChange, isOpen, type ShelvedChange } from "../change/census.ts";
import { chooseChange, recordStep, unfinishedChanges } from "../change/shelf.ts";
import { commit, type Engine } from "../engine.ts";
import { CEILING, fit } from "../fit.ts";
import { view } from "../memory/view.ts";
import { operation } from "../operation.ts";
import type { Tree } from "../ports/store.ts";
import { lookAtCode } from "./code.ts";
import {
  artifactFound,
  changeFound,
  conventionFound,
  decisionFound,
  decisionTitle,
  findingsPage,
  type Found,
  observationFound,
  pieceFound,
  shortenFound,
  skipped,
  skippedIn,
} from "./finding.ts";
import { type Look, lookAround, treeOf } from "./look.ts";
import { ownLines } from "./own-lines.ts";
import { recollect } from "./recollection.ts";
import type { ContextChecked, ContextCheckQuery } from "./schema.ts";

type Input = z.infer<typeof ContextCheckQuery>;
type Output = z.infer<typeof ContextChecked>;

const MOST_SECTIONS = 12;
const MOST_DECISIONS = 5;
const MOST_CHANGES = 10;
const MOST_EXPLORED = 5;
const MOST_CODE = 8;
const LIKELY = 3;

export const check = operation<Input, Output>({
  id: "context.check",
  effect: "change",
  input: async () => (await import("./schema.ts")).ContextCheckQuery,
  output: async () => (await import("./schema.ts")).ContextChecked,
  async run(engine, input) {
    const own = await ownLines(engine);
    const seen = await engine.store.read((tree) => see(tree, input, own));
    const { change } = seen;
    const facts = structuralFacts(materialOf(seen));
    const isKept = change?.record.status === "active";
    if (change && isKept) {
      const made = { at: engine.clock.now(), tree: treeOf(engine, change, seen.look), facts };
      await keep(engine, change.record, made);
    }
    const findings = await findingsOf(engine, seen, input);
    const critical = facts.filter(({ severity }) => severity === "critical").length;
    return fit<Fact | Found, Output>(engine, input.max_tokens ?? CEILING, {
      items: [...facts, ...findings],
      build: (shown, omitted) => ({
        // An empty answer has no room for the change id either.
        ...(change && isKept && (shown.length > 0 || omitted === 0) ? { change_id: change.record.id } : {}),
        critical,
        facts: shown.filter(isFact),
        findings: shown.filter((each): each is Found => !isFact(each)),
        omitted,
      }),
      page,
      shorten: (item, length) => (isFact(item) ? undefined : shortenFound(item, length)),
    });
  },
  page: (output) => page(output),
});

const isFact = (item: Fact | Found): item is Fact => "severity" in item;

interface Seen {
  readonly change?: ShelvedChange;
  readonly look: Look;
  readonly description: string;
  readonly question: Question;
  readonly pieces: readonly Piece[];
  readonly sections: readonly Piece[];
  readonly prior: readonly ChangeRecord[];
  readonly damaged: readonly { readonly path: string; readonly why: string }[];
}

function see(tree: Tree, input: Input, own: ReadonlySet<string>): Seen {
  const change = changeMeant(tree, input);
  const description = [change?.record.description, input.change_description?.trim()]
    .filter((text) => text !== undefined)
    .join("\n");
  const look = lookAround(tree, change);
  const question = keywordsOf([description, ...look.own.map(({ text }) => text)].join("\n"));
  const pieces = look.documents.flatMap((each) => piecesOf(each, own));
  const { changes, damaged } = everyChange(tree);
  const prior = changes.flatMap(({ record }) =>
    isOpen(record) || record.id === change?.record.id ? [] : [{ title: record.description, text: "", record }],
  );
  return {
    ...(change ? { change } : {}),
    look,
    description,
    question,
    pieces,
    sections: best(question, pieces, MOST_SECTIONS),
    prior: best(question, prior, MOST_CHANGES).map(({ record }) => record),
    damaged: damaged.filter(({ path }) => path.startsWith(HISTORY)),
  };
}

/** The named change, or the only active one. Undefined if none is active but a description is given. */
function changeMeant(tree: Tree, { change_id, change_description }: Input): ShelvedChange | undefined {
  if (change_id !== undefined) return chooseChange(tree, change_id, "context.check");
  const unfinished = unfinishedChanges(tree);
  if (unfinished.length > 0)
    return chooseChange(tree, theActiveChange(unfinished, "context.check").id, "context.check");
  if (change_description !== undefined) return undefined;
  throw new Fault("input.missing", {
    what: "There is nothing to check.",
    why: "No change is active, and none is described.",
    fix: [
      { operation: "context.check", input: { change_description: "…" } },
      { operation: "change.start", input: { description: "…" } },
    ],
  });
}

const best = <T extends { title: string; text: string }>(question: Question, of: readonly T[], most: number): T[] =>
  mostRelevant(question, of)
    .slice(0, most)
    .map(({ item }) => item);

function materialOf({ change, look, description, pieces, sections }: Seen) {
  const own = (stage: string): string[] => look.own.flatMap((each) => (each.stage === stage ? [each.text] : []));
  const document = (path: string): Document | undefined => look.documents.find((each) => each.path === path);
  const tasks = document(TASKS);
  return {
    said: [{ path: "The description", text: description }, ...look.own],
    pieces,
    rules: document(BUSINESS_RULES),
    tasks: [...(tasks ? [tasks.text] : []), ...own("tasks")],
    spec: own("spec")[0],
    adrs: [...look.adrs.map(({ id }) => id as string), ...(change?.record.adrs ?? [])],
    others: look.others,
    likely: sections
      .filter((piece) => piece.id && !isRemoved(piece))
      .slice(0, LIKELY)
      .flatMap(({ id }) => id ?? []),
  };
}

/** The sources may change before the commit. The stage gate detects that. */
async function keep(engine: Engine, { id }: ChangeRecord, made: ContextCheck): Promise<void> {
  await commit(engine, (tree) => {
    const { record } = chooseChange(tree, id, "context.check");
    const kept = record.status === "active" ? keepCheck(record, made) : record;
    if (kept === record) return { steps: [], occurrences: [], result: undefined };
    const data = { tree: made.tree, facts: made.facts.map((fact) => fact.fact) };
    return {
      steps: [recordStep(kept)],
      occurrences: [{ kind: "change.context-checked", subject: id, data }],
      result: undefined,
    };
  });
}

async function findingsOf(engine: Engine, seen: Seen, input: Input): Promise<Found[]> {
  const { look, question, description, sections, prior, damaged } = seen;
  const detail = input.detail_level ?? "standard";
  const { observations, silent } = await recollect(engine, question, {
    project: input.project_name,
    type: "explore",
    limit: MOST_EXPLORED,
  });
  const said = [description, ...look.own.map(({ text }) => text)].join("\n");
  const code = await lookAtCode(engine, { question, said, detail, most: MOST_CODE });
  const decisions = look.adrs.map((place) => ({ title: decisionTitle(place), text: "", place }));
  const terms = new Set(question.terms);
  return [
    ...sections.map((piece) => pieceFound(piece, question, detail)),
    ...code.found,
    ...best(question, decisions, MOST_DECISIONS).map(({ place }) => decisionFound(place)),
    ...prior.map(changeFound),
    ...observations.map((each) => observationFound(view(each, detail, terms), "explored")),
    ...look.documents.map(artifactFound),
    ...look.conventions.map((document) => conventionFound(document, detail)),
    looked(look),
    ...skippedIn(look),
    ...damaged.map(({ path, why }) => skipped(path, why)),
    ...(silent === undefined ? [] : [skipped("memory", silent)]),
    ...(code.silent === undefined ? [] : [skipped("the index of code", code.silent)]),
  ];
}

function looked({ documents, adrs, others, prior, conventions }: Look): Found {
  const places = [
    `${count(documents.length, "document")} in sdd/`,
    count(adrs.length, "decision"),
    count(others.length, "other open change"),
    count(prior.length, "closed change"),
    ...(documents.length > 0 ? [] : [count(conventions.length, "convention file")]),
  ];
  return { kind: "looked", ref: "workspace", text: places.join(", ") };
}

function page({ change_id, critical, facts, findings, omitted }: Output): Page {
  const about = change_id === undefined ? "" : ` for ${change_id}`;
  return {
    title: `Context check${about}: ${count(critical, "critical fact")}.`,
    facts: facts.map(({ id, severity, fact }) => [`${id} ${severity}`, fact]),
    ...findingsPage(findings, omitted),
    next: change_id === undefined ? [] : [{ operation: "change.advance", input: { change_id, content: "…" } }],
  };
}
