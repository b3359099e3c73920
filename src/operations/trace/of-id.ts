import { readDecisionHead } from "#domain/adr/document.ts";
import { Fault } from "#domain/fault.ts";
import { formatCount } from "#domain/count.ts";
import { quote } from "#domain/quote.ts";
import { isFeature, nameOfTag, type Said } from "#domain/scan/tags.ts";
import type { Carrier } from "#domain/trace/carrier.ts";
import { isUnknown, type Known, lacksCriterion, parseTraceId } from "#domain/trace/known.ts";
import { mentionsIn } from "#domain/trace/mention.ts";
import { carriedBy, fileOf, testsOf } from "#domain/trace/matrix.ts";
import { closestIds, lacking, orphans, type TraceProblem } from "#domain/trace/problems.ts";
import { PROJECT_SPEC_PATHS } from "#domain/workspace/path.ts";
import { listWorkspaceDecisions } from "../adr/shelf.ts";
import type { Engine } from "../engine.ts";
import { createTolerantTree } from "../forgiving-tree.ts";
import { everyChain } from "../gate/receipts.ts";
import type { StoreTree } from "../ports/store.ts";
import { WORKFLOW_SPACE } from "../workflow/spaces.ts";
import { commitsNaming, type Naming } from "./commits.ts";
import { documentsNaming } from "./documents.ts";
import { gatherTrace, type Gathered } from "./gather.ts";
import { type Item, items, type Output, placed } from "./parts.ts";

export interface Found {
  readonly subject?: NonNullable<Output["subject"]>;
  readonly older_commits?: number;
  readonly problems: readonly TraceProblem[];
  readonly items: readonly Item[];
}

export async function traceOfId(engine: Engine, text: string): Promise<Found> {
  const said = parseTraceId(text);
  const gathered = await gatherTrace(engine);
  const { known, carriers, index } = gathered;
  if (!said)
    throw unknownId(text, `It has the form of none: AUTH-001, AUTH-001.AC-2, FR-001 or login.S1.AC2.`, gathered);
  const own = carriers.filter(({ spec }) => spec === said.spec);
  refuseUnknown(said, own, gathered);
  const subject = known.ids.get(said.spec);
  const naming = isFeature(said.spec)
    ? []
    : ((await documentsNaming(engine, (id) => id === said.spec)).get(said.spec) ?? []);
  const around = await engine.store.read((tree) =>
    aroundOf(
      createTolerantTree(tree, () => undefined),
      engine,
      said,
    ),
  );
  const carried = carriedBy({ carriers: own, docs: new Map([[said.spec, naming.map(({ path }) => path)]]) })(said.spec);
  const there = new Set((await engine.source.files()).map(({ path }) => path));
  // Tenon's own documents are not source files.
  const isThere = (path: string): boolean => there.has(path) || path.startsWith("sdd/");
  const lacks = subject ? lacking(subject, carried, isThere) : [];
  const problems = [...orphans(own, known), ...lacks].filter(({ id }) => isAbout(said, id));
  const told = new Set(naming.map(({ path }) => path));
  const docs = [
    ...naming,
    ...(subject?.trace.docs ?? [])
      .map(fileOf)
      .filter((path) => !told.has(path) && isThere(path))
      .map((path) => ({ path })),
    ...around.docs.filter(({ path }) => path !== subject?.path),
  ];
  const { commits, older } = isFeature(said.spec) ? NO_COMMITS : await commitsNaming(engine, said);
  const decisions = [...around.decisions, ...namedDecisions(subject, around.decisions)];
  return {
    ...(subject ? { subject: subjectOf(subject) } : {}),
    ...(older === 0 ? {} : { older_commits: older }),
    problems,
    items: [
      ...items(
        "problems",
        problems.filter(({ due }) => due),
      ),
      ...items("criteria", criteriaOf(said, subject, carried.tests)),
      ...items("code", await placed(index, nearest(carried.code, said))),
      ...items("tests", await placed(index, nearest(carried.tests, said))),
      ...items("workflows", around.workflows),
      ...items("receipts", around.receipts),
      ...items("docs", docs),
      ...items("decisions", decisions),
      ...items("commits", commits),
      ...items(
        "problems",
        problems.filter(({ due }) => !due),
      ),
    ],
  };
}

const NO_COMMITS: Naming = { commits: [], older: 0 };

const isAbout = ({ spec, criterion }: Said, id: string): boolean =>
  criterion === undefined || id === nameOfTag({ spec, criterion }) || id === spec;

/** Locations of the requested criterion, else those of its spec alone. */
function nearest(carriers: readonly Carrier[], { criterion }: Said): readonly Carrier[] {
  if (criterion === undefined) return carriers;
  const exact = carriers.filter((each) => each.criterion === criterion);
  return exact.length > 0 ? exact : carriers.filter((each) => each.criterion === undefined);
}

function criteriaOf(said: Said, subject: Known | undefined, tests: readonly Carrier[]) {
  return (subject?.criteria ?? [])
    .filter(({ id }) => said.criterion === undefined || id === said.criterion)
    .map(({ id, text }) => ({
      id,
      text,
      tests: testsOf(tests, id).map(({ path, line, test }) =>
        test === undefined ? `${path}:${line}` : `${path}: ${test}`,
      ),
    }));
}

const subjectOf = ({ kind, title, status, path, line }: Known): NonNullable<Output["subject"]> => ({
  kind,
  title,
  ...(status === undefined ? {} : { status }),
  path,
  line,
});

function refuseUnknown(said: Said, own: readonly Carrier[], gathered: Gathered): void {
  const { known } = gathered;
  if (isUnknown(known, said) || (isFeature(said.spec) && !known.features && own.length === 0)) {
    const verb = own.length === 1 ? "names" : "name";
    const named = own.length === 0 ? "" : ` ${formatCount(own.length, "place")} of the code ${verb} it all the same.`;
    throw unknownId(nameOfTag(said), `No spec, requirement or rule defines ${said.spec}.${named}`, gathered);
  }
  if (!lacksCriterion(known, said)) return;
  const has = known.ids.get(said.spec)?.criteria?.map(({ id }) => id) ?? [];
  const why = has.length === 0 ? "It has no criteria." : `Its criteria are ${has.join(", ")}.`;
  throw new Fault("trace.unknown-id", {
    what: `${said.spec} has no ${said.criterion}.`,
    why,
    fix: { operation: "trace.show", input: { id: said.spec } },
  });
}

function unknownId(text: string, why: string, { known }: Gathered): Fault {
  const near = closestIds(text, known);
  return new Fault("trace.unknown-id", {
    what: `${quote(text, 60)} cannot be traced.`,
    why,
    fix: [...near.slice(0, 3).map((id) => ({ operation: "trace.show", input: { id } })), { operation: "trace.show" }],
  });
}

function aroundOf(tree: StoreTree, engine: Engine, said: Said) {
  const isOwn = (id: string): boolean => id === said.spec;
  const workflow = tree.kept(WORKFLOW_SPACE).get(said.spec);
  const name = nameOfTag(said);
  const receipts = everyChain(tree, engine).chains.flatMap(({ chain }) =>
    chain.receipts.flatMap(({ receipt: { id, gate, at, spec_ids, criteria } }) => {
      const own = criteria.filter((each) => each === name || each.startsWith(`${name}.`));
      const covers = said.criterion === undefined ? spec_ids.includes(said.spec) : own.length > 0;
      return covers ? [{ id, gate, at, criteria: own }] : [];
    }),
  );
  return {
    workflows: workflow
      ? [{ id: workflow.id, kind: workflow.kind, stage: workflow.current_stage, status: workflow.status }]
      : [],
    receipts: receipts.toReversed(),
    docs: PROJECT_SPEC_PATHS.flatMap((path) =>
      mentionsIn(tree.text(path) ?? "", isOwn).map(({ line }) => ({ path: path as string, line })),
    ),
    decisions: listWorkspaceDecisions(tree).flatMap(({ ref, id, path }) => {
      const text = tree.text(path) ?? "";
      const isNamed = mentionsIn(text, isOwn).length > 0 || workflow?.adr === id;
      return isNamed ? [{ ref, path, ...titleOf(id, text) }] : [];
    }),
  };
}

function titleOf(id: Parameters<typeof readDecisionHead>[0], text: string): { title?: string } {
  try {
    return { title: readDecisionHead(id, text).title };
  } catch {
    return {};
  }
}

function namedDecisions(subject: Known | undefined, found: readonly { readonly ref: string }[]) {
  const refs = new Set(found.map(({ ref }) => ref));
  return (subject?.trace.decisions ?? [])
    .filter((ref) => !refs.has(ref))
    .map((ref) => ({ ref, path: subject?.path ?? "" }));
}
