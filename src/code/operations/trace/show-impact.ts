import type { CodeEngine } from "../engine.ts";
import type * as z from "zod";
import { findClosestWord, formatCount, sanitizeText, quote } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { isTraceId, type TraceId } from "#kernel/model/ids/trace-id.ts";
import type { TraceLocation } from "../../model/trace/trace-locations.ts";
import type { ImpactNode, ImpactUser } from "../../model/trace/impact-reach.ts";
import { listServingNodes, formatNodeName, ImpactReach, listServedIds } from "../../model/trace/impact-reach.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { CodeIndex, IndexedText } from "../ports/code-index.ts";
import type { ImpactShowOutput, ImpactItemSchema } from "./schema.ts";
import { findUniqueSymbol, gatherTraceData } from "./trace-data.ts";

const MIN_MENTIONED_NAME = 4;

type ImpactItem = z.infer<typeof ImpactItemSchema>;

export const showImpact = defineOperation({
  id: "trace.impact",
  effect: "read",
  isLong: true,
  input: async () => (await import("./schema.ts")).ImpactShowInput,
  output: async () => (await import("./schema.ts")).ImpactShowOutput,
  async run(engine: CodeEngine, { of: asked, depth = 3, max_tokens = DEFAULT_ANSWER_TOKENS }) {
    const { index, carriers } = await gatherTraceData(engine);
    const { of, starts, ids, tests } = await resolveImpactStart(index, carriers, asked);
    const reach = await computeImpactReach(index, starts, depth);
    const testFiles = new Set((await index.files()).flatMap(({ path, isTest }) => (isTest ? [path] : [])));
    const code = reach.found.filter(({ path }) => !testFiles.has(path));
    const requirements = new Map<TraceId, ImpactItem>();
    for (const { depth: at, ...node } of [...starts.map((start) => ({ ...start, depth: 0 })), ...code])
      for (const id of listServedIds(carriers, node))
        if (!requirements.has(id) && !ids.includes(id))
          requirements.set(id, { kind: "requirement", name: id, depth: at, via: formatNodeName(node) });
    const own = [...requirements].flatMap(([id, each]) => (each.depth === 0 ? [id] : []));
    const named = [...ids, ...own].flatMap((id) => listServingNodes(carriers, id).filter((each) => each.isTest));
    const createReachedItem = (
      kind: "dependent" | "test",
      { by, depth: at, via, ...node }: ImpactReach["found"][number],
    ): ImpactItem => ({ kind, name: formatNodeName(node), by, depth: at, via: formatNodeName(via) });
    const users = code.map((each) => createReachedItem("dependent", each));
    const allTests = [
      ...[...tests, ...named].map((node): ImpactItem => ({ kind: "test", name: formatNodeName(node), by: "tag" })),
      ...reach.found.filter(({ path }) => testFiles.has(path)).map((each) => createReachedItem("test", each)),
    ];
    const mentions = starts.flatMap(({ path, ref }) => {
      const name = ref?.replace(/~\d+$/, "").split(".").at(-1) ?? "";
      return name.length >= MIN_MENTIONED_NAME ? [name, path] : [path];
    });
    const items = [
      ...(isTraceId(of) ? starts.map((node): ImpactItem => ({ kind: "symbol", name: formatNodeName(node) })) : []),
      ...users.filter((each) => each.depth === 1),
      // The first mention of a test counts.
      ...allTests.filter(({ name }, i) => allTests.findIndex((each) => each.name === name) === i),
      ...requirements.values(),
      ...findMentioningDocs(await index.texts({ kind: "doc" }), isTraceId(of) ? ids : [...ids, ...mentions]),
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
    return fitAnswer(engine, max_tokens, {
      items,
      build: (reached, omitted) => ({ ...rest, reached: [...reached], omitted }),
      page: formatImpactPage,
      shorten: () => undefined,
    });
  },
  page: formatImpactPage,
});

async function resolveImpactStart(index: CodeIndex, carriers: readonly TraceLocation[], of: string) {
  if (isTraceId(of)) {
    const found = listServingNodes(carriers, of);
    if (found.length === 0)
      throw new Fault("trace.nothing-there", {
        what: `No code or test is tagged with ${of}.`,
        why: `Tag the code that implements it with \`@spec ${of}\`.`,
        fix: { operation: "trace.show" },
      });
    return { of, starts: found.filter((each) => !each.isTest), ids: [of], tests: found.filter((each) => each.isTest) };
  }
  const createStart = (starts: readonly ImpactNode[]) => ({ of, starts, ids: [] as TraceId[], tests: [] });
  const [path = "", ref = ""] = of.replaceAll("\\", "/").replace(/^\.\//, "").split(/#(.*)/s);
  const [file] = await index.files({ path });
  if (!file) {
    const node = await findUniqueSymbol(index, ref === "" ? path : ref, {
      of,
      createCall: (key) => ({ operation: "trace.impact", input: { of: key } }),
    });
    return { ...createStart([node]), of: formatNodeName(node) };
  }
  if (ref === "") return createStart([{ path }]);
  const rows = await index.components({ path });
  const exact = rows.filter((each) => each.ref === ref);
  const found = exact.length > 0 ? exact : rows.filter((each) => each.name === ref);
  if (found.length > 0) return createStart(found.map((each) => ({ path, ref: each.ref })));
  const refs = rows.map((each) => each.ref);
  const near = findClosestWord(ref, refs);
  throw new Fault("trace.unknown-symbol", {
    what: `${quote(path, 200)} has no symbol ${quote(ref, 100)}.`,
    why: near === undefined ? "Name a function, class or method of that file." : `Did you mean ${quote(near, 100)}?`,
    fix: { operation: "trace.impact", input: { of: near === undefined ? path : `${path}#${near}` } },
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

function formatImpactPage(output: z.infer<typeof ImpactShowOutput>): Page {
  const { of, dependents, requirements, tests, docs, reached, omitted, is_cut } = output;
  const counts = Object.entries({ dependent: dependents, requirement: requirements, test: tests, document: docs });
  const describeLink = ({ by, via = "" }: ImpactItem): string => {
    if (via === "") return by === "tag" ? "names it" : "";
    const target = via === of ? "it" : sanitizeText(via, 200);
    if (by === "import")
      return `imports ${!via.includes("#") ? target : via === of ? "its file" : `the file of ${target}`}`;
    return `${by === "call" ? "calls" : "by"} ${target}`;
  };
  return {
    title: `A change to ${sanitizeText(of, 200)} reaches ${counts.map(([what, n]) => formatCount(n, what)).join(", ")}.`,
    table: {
      columns: ["", "what", "how", "steps"],
      rows: reached.map((each) => [
        each.kind,
        sanitizeText(each.name, 300),
        describeLink(each),
        String(each.depth ?? ""),
      ]),
    },
    points: [
      "Found by names and imports in the syntax; dynamic calls are not found.",
      ...(omitted > 0 ? [`${omitted} more left out for max_tokens.`] : []),
      ...(is_cut ? ["There are more dependents than Tenon follows."] : []),
    ],
  };
}

const MAX_REACHED_NODES = 500;

async function computeImpactReach(index: CodeIndex, starts: readonly ImpactNode[], depth: number) {
  const listUsers = async (of: ImpactNode): Promise<ImpactUser[]> =>
    (await index.usedBy(of)).map(({ from, by }) => ({ ...from, by }));
  const reach = new ImpactReach(starts, MAX_REACHED_NODES);
  let ring = starts;
  for (let at = 1; at <= depth && ring.length > 0; at++) {
    const next: ImpactNode[] = [];
    for (const { path, ref } of ring) {
      const node = ref === undefined ? { path } : { path, ref };
      const isFileUsed =
        ref !== undefined && (await index.components({ path, ref })).some(({ isExported }) => isExported);
      const users = [...(await listUsers(node)), ...(isFileUsed ? await listUsers({ path }) : [])];
      next.push(...reach.add(node, at, users));
    }
    ring = next;
  }
  return reach;
}
