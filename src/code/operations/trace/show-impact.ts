import type { CodeEngine } from "../engine.ts";
import type * as z from "zod";
import { findClosestWord, formatCount, sanitizeText, quote } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { isTraceId, type TraceId } from "#kernel/model/ids/trace-id.ts";
import type { TraceLocation } from "../../model/trace/trace-locations.ts";
import {
  listServingNodes,
  type ImpactNode,
  formatNodeName,
  ImpactReach,
  listServedIds,
  type ImpactUser,
} from "../../model/trace/impact-reach.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { CodeIndex, IndexedText } from "../ports/code-index.ts";
import type { ImpactShowOutput, ImpactItemSchema } from "./schema.ts";
import { gatherTraceData } from "./trace-data.ts";

type ImpactReport = z.infer<typeof ImpactShowOutput>;
type ImpactItem = z.infer<typeof ImpactItemSchema>;

const DEFAULT_IMPACT_DEPTH = 3;
const MIN_MENTIONED_NAME = 4;

export const showImpact = defineOperation({
  id: "trace.impact",
  effect: "read",
  isLong: true,
  input: async () => (await import("./schema.ts")).ImpactShowInput,
  output: async () => (await import("./schema.ts")).ImpactShowOutput,
  async run(engine: CodeEngine, { of, depth = DEFAULT_IMPACT_DEPTH, max_tokens = DEFAULT_ANSWER_TOKENS }) {
    const { index, carriers } = await gatherTraceData(engine);
    const { starts, ids, tests } = await resolveImpactStart(index, carriers, of);
    const reach = await computeImpactReach(index, starts, depth);
    const testFiles = new Set((await index.files()).flatMap(({ path, isTest }) => (isTest ? [path] : [])));
    const code = reach.found.filter(({ path }) => !testFiles.has(path));
    const reachedTests = reach.found.filter(({ path }) => testFiles.has(path));
    const served = collectServedRequirements(carriers, starts, code, ids);
    const named = [...ids, ...served.own].flatMap((id) => listServingNodes(carriers, id).filter((each) => each.isTest));
    const users = code.map((each) => createReachedItem("dependent", each));
    const allTests = [
      ...[...tests, ...named].map((node): ImpactItem => ({ kind: "test", name: formatNodeName(node), by: "tag" })),
      ...reachedTests.map((each) => createReachedItem("test", each)),
    ];
    const items = [
      ...(isTraceId(of) ? starts.map((node): ImpactItem => ({ kind: "symbol", name: formatNodeName(node) })) : []),
      ...users.filter((each) => each.depth === 1),
      ...served.requirements,
      // The first mention of a test counts.
      ...allTests.filter(({ name }, i) => allTests.findIndex((each) => each.name === name) === i),
      ...findMentioningDocs(await index.texts({ kind: "doc" }), [...ids, ...listMentionNames(starts, of)]),
      ...users.filter((each) => each.depth !== 1),
    ];
    const total = (kind: ImpactItem["kind"]): number => items.filter((each) => each.kind === kind).length;
    const rest = {
      of,
      symbols: starts.length,
      dependents: total("dependent"),
      requirements: total("requirement"),
      tests: total("test"),
      docs: total("doc"),
      is_cut: reach.isCut,
    };
    return fitAnswer<ImpactItem, ImpactReport>(engine, max_tokens, {
      items,
      build: (reached, omitted) => ({ ...rest, reached: [...reached], omitted }),
      page: formatImpactPage,
      shorten: () => undefined,
    });
  },
  page: formatImpactPage,
});

async function resolveImpactStart(
  index: CodeIndex,
  carriers: readonly TraceLocation[],
  of: string,
): Promise<{ starts: ImpactNode[]; ids: TraceId[]; tests: ImpactNode[] }> {
  if (isTraceId(of)) {
    const found = listServingNodes(carriers, of);
    if (found.length === 0)
      throw new Fault("trace.nothing-there", {
        what: `What ${of} reaches cannot be told.`,
        why: "No code and no test says that it serves it.",
        fix: { operation: "trace.show", input: { id: of } },
      });
    return { starts: found.filter((each) => !each.isTest), ids: [of], tests: found.filter((each) => each.isTest) };
  }
  const [path = "", ref] = of.replaceAll("\\", "/").replace(/^\.\//, "").split(/#(.*)/s);
  const [file] = await index.files({ path });
  if (!file)
    throw new Fault("trace.unknown-path", {
      what: `What ${quote(of, 200)} reaches cannot be told.`,
      why: "The index has no code of that path.",
      fix: { operation: "indexing.query", input: { question: of.replace(/^.*[/#]/, "") } },
    });
  if (ref === undefined || ref === "") return { starts: [{ path }], ids: [], tests: [] };
  const rows = await index.components({ path });
  const exact = rows.filter((each) => each.ref === ref);
  const found = exact.length > 0 ? exact : rows.filter((each) => each.name === ref);
  if (found.length > 0) return { starts: found.map((each) => ({ path, ref: each.ref })), ids: [], tests: [] };
  const refs = rows.map((each) => each.ref);
  const near = findClosestWord(ref, refs);
  throw new Fault("trace.unknown-symbol", {
    what: `What ${quote(ref, 100)} reaches cannot be told.`,
    why: `${quote(path, 200)} has no component of that name.`,
    fix: { operation: "trace.impact", input: { of: near === undefined ? path : `${path}#${near}` } },
  });
}

const createReachedItem = (
  kind: "dependent" | "test",
  { by, depth, via, ...node }: ImpactReach["found"][number],
): ImpactItem => ({ kind, name: formatNodeName(node), by, depth, via: formatNodeName(via) });

function collectServedRequirements(
  carriers: readonly TraceLocation[],
  starts: readonly ImpactNode[],
  reached: ImpactReach["found"],
  asked: readonly TraceId[],
): { requirements: ImpactItem[]; own: TraceId[] } {
  const found = new Map<TraceId, ImpactItem>();
  for (const { depth, ...node } of [...starts.map((start) => ({ ...start, depth: 0 })), ...reached])
    for (const id of listServedIds(carriers, node))
      if (!found.has(id) && !asked.includes(id))
        found.set(id, { kind: "requirement", name: id, depth, via: formatNodeName(node) });
  return {
    requirements: [...found.values()],
    own: [...found].flatMap(([id, { depth }]) => (depth === 0 ? [id] : [])),
  };
}

function listMentionNames(starts: readonly ImpactNode[], of: string): string[] {
  if (isTraceId(of)) return [];
  return starts.flatMap(({ path, ref }) => {
    const name = ref?.replace(/~\d+$/, "").split(".").at(-1) ?? "";
    return name.length >= MIN_MENTIONED_NAME ? [name, path] : [path];
  });
}

function findMentioningDocs(texts: readonly IndexedText[], words: readonly string[]): ImpactItem[] {
  const escaped = [...new Set(words)].map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`));
  if (escaped.length === 0) return [];
  const named = new RegExp(String.raw`(?<![\w-])(?:${escaped.join("|")})(?![\w-])`);
  return texts.flatMap(({ key, title, text }): ImpactItem[] => {
    const word = named.exec(`${title}\n${text}`)?.[0];
    return word === undefined ? [] : [{ kind: "doc", name: key, via: word }];
  });
}

function describeImpactLink({ by, via = "" }: ImpactItem): string {
  if (via === "") return by === "tag" ? "names it" : "";
  if (by === "import") return `imports ${via.includes("#") ? "the file of " : ""}${sanitizeText(via, 200)}`;
  return `${by === "call" ? "calls" : "by"} ${sanitizeText(via, 200)}`;
}

function formatImpactPage({ of, dependents, requirements, tests, docs, reached, omitted, is_cut }: ImpactReport): Page {
  const counts = Object.entries({ dependent: dependents, requirement: requirements, test: tests, document: docs });
  return {
    title: `A change to ${sanitizeText(of, 200)} reaches ${counts.map(([what, n]) => formatCount(n, what)).join(", ")}.`,
    table: {
      columns: ["", "what", "how", "steps"],
      rows: reached.map((each) => [
        each.kind,
        sanitizeText(each.name, 300),
        describeImpactLink(each),
        String(each.depth ?? ""),
      ]),
    },
    points: [
      "By names and imports, as the syntax shows them: what is called in other ways is not seen.",
      ...(omitted > 0 ? [`${omitted} more left out for max_tokens.`] : []),
      ...(is_cut ? ["There are more dependents than were looked at."] : []),
    ],
  };
}

const MAX_REACHED_NODES = 500;

export async function computeImpactReach(
  index: CodeIndex,
  starts: readonly ImpactNode[],
  depth: number,
): Promise<ImpactReach> {
  const reach = new ImpactReach(starts, MAX_REACHED_NODES);
  let ring: readonly ImpactNode[] = starts;
  for (let at = 1; at <= depth && ring.length > 0; at++) {
    const next: ImpactNode[] = [];
    for (const node of ring) next.push(...reach.add(node, at, await loadImpactUsers(index, node)));
    ring = next;
  }
  return reach;
}

async function loadImpactUsers(index: CodeIndex, { path, ref }: ImpactNode): Promise<ImpactUser[]> {
  const listUsers = async (of: ImpactNode) => (await index.usedBy(of)).map(({ from, by }) => ({ ...from, by }));
  if (ref === undefined) return listUsers({ path });
  const callers = await listUsers({ path, ref });
  const isExported = (await index.components({ path, ref })).some((row) => row.isExported);
  return isExported ? [...callers, ...(await listUsers({ path }))] : callers;
}
