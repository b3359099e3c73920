import type * as z from "zod";
import { findClosestWord } from "#domain/closest.ts";
import { formatCount } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import type { Page } from "#domain/page.ts";
import { sanitizeText, quote } from "#domain/quote.ts";
import { isTraceId, type TraceId } from "#domain/trace/acceptance.ts";
import type { Carrier } from "#domain/trace/carrier.ts";
import { carriersOf, type Node, nameOfNode, type Reach, servedBy } from "#domain/trace/reach.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "../fit.ts";
import { defineOperation } from "../operation.ts";
import type { CodeIndex, IndexedText } from "../ports/code-index.ts";
import type { ImpactFound, ImpactQuery, ImpactReached } from "./schema.ts";
import { gatherTrace } from "./gather.ts";
import { reachOf } from "./tracing/reaching.ts";

type Output = z.infer<typeof ImpactFound>;
type Item = z.infer<typeof ImpactReached>;

const DEPTH = 3;
const SHORTEST_NAME = 4;

export const impact = defineOperation<z.infer<typeof ImpactQuery>, Output>({
  id: "trace.impact",
  effect: "read",
  isLong: true,
  input: async () => (await import("./schema.ts")).ImpactQuery,
  output: async () => (await import("./schema.ts")).ImpactFound,
  async run(engine, { of, depth = DEPTH, max_tokens = DEFAULT_ANSWER_TOKENS }) {
    const { index, carriers } = await gatherTrace(engine);
    const { starts, ids, tests } = await meant(index, carriers, of);
    const reach = await reachOf(index, starts, depth);
    const isTest = await testFiles(index);
    const code = reach.found.filter(({ path }) => !isTest(path));
    const served = servedIn(carriers, starts, code, ids);
    const named = [...ids, ...served.own].flatMap((id) => carriersOf(carriers, id).filter((each) => each.isTest));
    const users = code.map(dependent);
    const items = [
      ...(isTraceId(of) ? starts.map((node): Item => ({ kind: "symbol", name: nameOfNode(node) })) : []),
      ...users.filter((each) => each.depth === 1),
      ...served.requirements,
      ...testsOf([...tests, ...named], reach, isTest),
      ...docsNaming(await index.texts({ kind: "doc" }), [...ids, ...names(starts, of)]),
      ...users.filter((each) => each.depth !== 1),
    ];
    const total = (kind: Item["kind"]): number => items.filter((each) => each.kind === kind).length;
    const rest = {
      of,
      symbols: starts.length,
      dependents: total("dependent"),
      requirements: total("requirement"),
      tests: total("test"),
      docs: total("doc"),
      is_cut: reach.isCut,
    };
    return fitAnswer<Item, Output>(engine, max_tokens, {
      items,
      build: (reached, omitted) => ({ ...rest, reached: [...reached], omitted }),
      page,
      shorten: () => undefined,
    });
  },
  page: (output) => page(output),
});

interface Meant {
  readonly starts: readonly Node[];
  readonly ids: readonly TraceId[];
  readonly tests: readonly Node[];
}

async function meant(index: CodeIndex, carriers: readonly Carrier[], of: string): Promise<Meant> {
  if (isTraceId(of)) {
    const found = carriersOf(carriers, of);
    if (found.length === 0) throw untagged(of);
    return { starts: found.filter((each) => !each.isTest), ids: [of], tests: found.filter((each) => each.isTest) };
  }
  const [path = "", ref] = of.replaceAll("\\", "/").replace(/^\.\//, "").split(/#(.*)/s);
  const [file] = await index.files({ path });
  if (!file) throw unknownPath(of);
  if (ref === undefined || ref === "") return { starts: [{ path }], ids: [], tests: [] };
  const rows = await index.components({ path });
  const exact = rows.filter((each) => each.ref === ref);
  const found = exact.length > 0 ? exact : rows.filter((each) => each.name === ref);
  if (found.length === 0)
    throw unknownSymbol(
      path,
      ref,
      rows.map((each) => each.ref),
    );
  return { starts: found.map((each) => ({ path, ref: each.ref })), ids: [], tests: [] };
}

const untagged = (id: string): Fault =>
  new Fault("trace.nothing-there", {
    what: `What ${id} reaches cannot be told.`,
    why: "No code and no test says that it serves it.",
    fix: { operation: "trace.show", input: { id } },
  });

const unknownPath = (of: string): Fault =>
  new Fault("trace.unknown-path", {
    what: `What ${quote(of, 200)} reaches cannot be told.`,
    why: "The index has no code of that path.",
    fix: { operation: "indexing.query", input: { question: of.replace(/^.*[/#]/, "") } },
  });

function unknownSymbol(path: string, ref: string, refs: readonly string[]): Fault {
  const near = findClosestWord(ref, refs);
  return new Fault("trace.unknown-symbol", {
    what: `What ${quote(ref, 100)} reaches cannot be told.`,
    why: `${quote(path, 200)} has no component of that name.`,
    fix: { operation: "trace.impact", input: { of: near === undefined ? path : `${path}#${near}` } },
  });
}

const dependent = ({ by, depth, via, ...node }: Reach["found"][number]): Item => ({
  kind: "dependent",
  name: nameOfNode(node),
  by,
  depth,
  via: nameOfNode(via),
});

function servedIn(
  carriers: readonly Carrier[],
  starts: readonly Node[],
  reached: Reach["found"],
  asked: readonly TraceId[],
): { requirements: Item[]; own: TraceId[] } {
  const found = new Map<TraceId, Item>();
  for (const { depth, ...node } of [...starts.map((start) => ({ ...start, depth: 0 })), ...reached])
    for (const id of servedBy(carriers, node))
      if (!found.has(id) && !asked.includes(id))
        found.set(id, { kind: "requirement", name: id, depth, via: nameOfNode(node) });
  return {
    requirements: [...found.values()],
    own: [...found].flatMap(([id, { depth }]) => (depth === 0 ? [id] : [])),
  };
}

function testsOf(naming: readonly Node[], reach: Reach, isTest: (path: string) => boolean): Item[] {
  const items = [
    ...naming.map((node): Item => ({ kind: "test", name: nameOfNode(node), by: "tag" })),
    ...reach.found
      .filter(({ path }) => isTest(path))
      .map(({ by, depth, via, ...node }): Item => ({
        kind: "test",
        name: nameOfNode(node),
        by,
        depth,
        via: nameOfNode(via),
      })),
  ];
  return [...new Map(items.toReversed().map((item) => [item.name, item])).values()].toReversed();
}

async function testFiles(index: CodeIndex): Promise<(path: string) => boolean> {
  const tests = new Set((await index.files()).filter(({ isTest }) => isTest).map(({ path }) => path));
  return (path) => tests.has(path);
}

function names(starts: readonly Node[], of: string): string[] {
  if (isTraceId(of)) return [];
  return starts.flatMap(({ path, ref }) => {
    const name = ref?.replace(/~\d+$/, "").split(".").at(-1) ?? "";
    return name.length >= SHORTEST_NAME ? [name, path] : [path];
  });
}

function docsNaming(texts: readonly IndexedText[], words: readonly string[]): Item[] {
  const escaped = [...new Set(words)].map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`));
  if (escaped.length === 0) return [];
  const named = new RegExp(String.raw`(?<![\w-])(?:${escaped.join("|")})(?![\w-])`);
  return texts.flatMap(({ key, title, text }): Item[] => {
    const word = named.exec(`${title}\n${text}`)?.[0];
    return word === undefined ? [] : [{ kind: "doc", name: key, via: word }];
  });
}

function how({ by, via = "" }: Item): string {
  if (via === "") return by === "tag" ? "names it" : "";
  if (by === "import") return `imports ${via.includes("#") ? "the file of " : ""}${sanitizeText(via, 200)}`;
  return `${by === "call" ? "calls" : "by"} ${sanitizeText(via, 200)}`;
}

function page({ of, dependents, requirements, tests, docs, reached, omitted, is_cut }: Output): Page {
  const counts = [
    formatCount(dependents, "dependent"),
    formatCount(requirements, "requirement"),
    formatCount(tests, "test"),
    formatCount(docs, "document"),
  ];
  return {
    title: `A change to ${sanitizeText(of, 200)} reaches ${counts.join(", ")}.`,
    table: {
      columns: ["", "what", "how", "steps"],
      rows: reached.map((each) => [each.kind, sanitizeText(each.name, 300), how(each), String(each.depth ?? "")]),
    },
    points: [
      "By names and imports, as the syntax shows them: what is called in other ways is not seen.",
      ...(omitted > 0 ? [`${omitted} more left out for max_tokens.`] : []),
      ...(is_cut ? ["There are more dependents than were looked at."] : []),
    ],
  };
}
