import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { OperationId } from "#doors/catalogue.ts";
import { type Doors, fingerprint, type Input, openDoors } from "../bad-input/doors.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { cut, listPlantedCalls, prepareGround, SOURCE } from "./plant.ts";
import { MARK, POISONS } from "./poisons.ts";

interface Shown {
  readonly id: number;
  readonly source?: string;
}

/** The parts of an answer that lines are made of, whichever operation gave it. */
interface Output {
  readonly observations?: readonly Shown[];
  readonly observation?: Shown;
  readonly sessions?: readonly unknown[];
  readonly session?: object;
  readonly prompts?: readonly Shown[];
  readonly before?: readonly Shown[] | string;
  readonly after?: readonly Shown[];
  readonly relations?: readonly unknown[];
  readonly revisions?: readonly unknown[];
  readonly repaired?: readonly unknown[];
  readonly notes?: readonly unknown[];
  readonly saved?: readonly { topic_key?: string }[];
  readonly stale?: readonly unknown[];
  readonly summary?: Shown;
  readonly suggestion?: object;
  readonly suggested_topic_key?: string;
  readonly related?: unknown;
  readonly omitted?: number;
  readonly total?: number;
  readonly source?: string;
  readonly projects?: readonly unknown[];
}

const n = (list: unknown): number => (Array.isArray(list) ? list.length : 0);
const one = (is: unknown): number => (is ? 1 : 0);

/** How many lines an answer has besides quotations, its title and its notes; one where nothing is said. */
const MORE_LINES: Readonly<Partial<Record<OperationId, (out: Output) => number>>> = {
  "memory.search": (out) => n(out.observations) + n(out.repaired),
  "memory.context": (out) => n(out.sessions) + n(out.observations) + n(out.prompts),
  "memory.timeline": (out) => 2 + n(out.before) + n(out.after),
  "memory.get": (out) => 1 + n(out.relations),
  "memory.history": (out) => n(out.revisions),
  "memory.save": ({ saved, suggested_topic_key, related }) =>
    n(saved) + one(saved?.length === 1 && saved[0]?.topic_key) + one(suggested_topic_key) + one(related),
  "memory.relate": (out) => n(out.relations),
  "memory.compact": (out) => one(out.summary),
  "explore.record": (out) => 9 + (out.suggestion ? 3 : 0),
  "memory.import": () => 0,
};

/** As many as it has things to say, whatever they are. */
function listLines(operation: OperationId, out: Output): number {
  return 1 + one(out.omitted) + n(out.notes) + (MORE_LINES[operation]?.(out) ?? 1);
}

/** What a line of ours begins with, before anything that others wrote. */
const HEAD =
  /^(?:(?:before: |here: |after: |context )?#\d+ \(|#\d+ asked \d|session |revision \d+, \d|progress$|(?:- )?(?:relation \d+: #|#\d+: |topic key: |suggested topic key: |relations made: |\d+ more left out: |Masked what |No observation contains "))/;
const TITLE =
  /^(?:Found |Nothing to save: no list |Observations of |Observations: |Around #\d+\.$|Observation #\d+, saved |#\d+ (?:\(|has |is )|The progress of |Saved\.$|Updated: |Known already|\d+ learnings? |The session |The relations? |\d+ observations? )/;
const EXPLORED =
  /^(?:## Exploration Context Saved|\*\*(?:Title|Topic Key|Action|ID):\*\* .*|### (?:Captured Context|Suggested Next Steps|Type\/Size Suggestion)|- When ready .*|- To add more .*|- \*\*Suggested .*)$/;
const ACTS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}]/u;

/** Whatever is wrong with how an answer looks; `quoted` is what a line of a quotation begins with. */
function listFaults(operation: OperationId, text: string, output: Output, quoted: RegExp): string[] {
  const lines = text.replace(/\n$/, "").split("\n");
  const own = lines.filter((line) => line !== "" && !quoted.test(line));
  const [first = "", ...rest] = own;
  const isOurs = (line: string): boolean =>
    operation === "explore.record" ? EXPLORED.test(line) : line === first ? TITLE.test(line) : HEAD.test(line);
  const wrong = [first, ...rest].filter((line) => !isOurs(line));
  const acting = lines.filter((line) => ACTS.test(line));
  const expected = listLines(operation, output);
  return [
    ...wrong.map((line) => `not ours: ${line.slice(0, 200)}`),
    ...acting.map((line) => `acts: ${JSON.stringify(line.slice(0, 200))}`),
    ...(own.length === expected ? [] : [`${own.length} lines for ${expected}: ${JSON.stringify(own)}`]),
    ...unsourced(own, output),
  ].map((fault) => `${operation}: ${fault}`);
}

/** Those that came from elsewhere and are shown without saying so. */
function unsourced(own: readonly string[], out: Output): string[] {
  const sides = [out.observations, out.prompts, out.before, out.after].flatMap((side) =>
    Array.isArray(side) ? (side as readonly Shown[]) : [],
  );
  const shown = [...sides, ...(out.observation ? [out.observation] : [])].filter((each) => each.source !== undefined);
  const isSaid = ({ id }: Shown): boolean =>
    own.some((line) => new RegExp(`^(?:before: |here: |after: |context )?#${id} .*from .+, not verified`).test(line));
  return shown.filter((each) => !isSaid(each)).map(({ id }) => `#${id} without its source`);
}

/** One call through both doors where reading, and what is wrong with what they show. */
async function look(doors: Doors, operation: OperationId, input: Input): Promise<[string[], Output, string]> {
  const [outcome, result] = await doors.heard(operation, input);
  const { content, structuredContent } = JSON.parse(result) as {
    content: [{ text: string }];
    structuredContent: Output;
  };
  if (outcome !== "ok") return [[`${operation}: ${outcome} ${content[0].text}`], {}, ""];
  const [{ text }] = content;
  return [listFaults(operation, text, structuredContent, /^> |^>$/), structuredContent, text];
}

const LEVELS = ["summary", "standard", "full"] as const;
const ALL = { project: "*", max_tokens: 100_000 };

/** Every way to read, for the observations that there are. */
function readings(ids: readonly number[]): readonly (readonly [OperationId, Input])[] {
  return [
    ...LEVELS.map((detail_level) => ["memory.search", { query: MARK, limit: 50, detail_level, ...ALL }] as const),
    ["memory.search", { query: MARK, type: "prompt", ...ALL }],
    ...LEVELS.map((detail_level) => ["memory.context", { limit: 100, detail_level, ...ALL }] as const),
    ["memory.context", { max_tokens: 300 }],
    ...ids.flatMap((id) => [
      ["memory.get", { id, depth: 5 }] as const,
      ["memory.timeline", { observation_id: id, before: 50, after: 50, max_tokens: 100_000 }] as const,
      ["memory.history", { id, max_tokens: 100_000 }] as const,
    ]),
    ["memory.progress", {}],
  ];
}

const TABLES: readonly (readonly [OperationId, Input, row: RegExp])[] = [
  ["memory.stats", {}, /^(?:\| )?[a-z0-9-]+(?: \||\t)/],
  ["memory.compact", { older_than_days: 30, project: "*" }, /^(?:\| )?#\d+(?: \||\t)/],
];

/** Each row is one line, and what is not in a row is ours to the letter. */
async function tables(doors: Doors): Promise<string[]> {
  const faults: string[] = [];
  for (const [operation, input, row] of TABLES) {
    const [, result] = await doors.heard(operation, input);
    const { content, structuredContent: out } = JSON.parse(result) as {
      content: [{ text: string }];
      structuredContent: Output;
    };
    const rows = (out.projects ?? out.stale ?? []).length;
    for (const text of [content[0].text, await doors.shown(operation, input)]) {
      const lines = text.trimEnd().split("\n");
      const head = lines.findIndex((line) => /^(?:\| )?(?:project|id)(?: \||\t)/.test(line));
      const body = lines.slice(head + (lines[head]?.startsWith("|") ? 2 : 1));
      const [inTable, after] = [body.slice(0, rows), body.slice(rows)];
      const ours = lines.slice(0, head + 1).concat(after);
      faults.push(
        ...inTable.filter((line) => !row.test(line) || ACTS.test(line.replaceAll("\t", ""))),
        ...ours.filter((line) => line.includes(MARK) || ACTS.test(line.replaceAll("\t", ""))),
        ...(rows > 0 && head >= 0 ? [] : [`${operation} has ${rows} rows`]),
      );
    }
  }
  return faults;
}

/** A refusal that says what it was given says it in one line, and in another how to go on. */
async function refusals(doors: Doors, text: string): Promise<string[]> {
  const [id, title] = [cut(`no ${text}`, 100), cut(text, 200)];
  // In quotes a shell takes line breaks as they are, and a call is shown as it can be typed; a key has none.
  const calls: readonly (readonly [OperationId, Input, breaks: number])[] = [
    ["memory.session", { action: "end", id }, id.split("\n").length],
    ["memory.history", { topic_key: cut(`no ${text}`, 200) }, 1],
    ["explore.record", { title }, title.split("\n").length],
  ];
  const faults: string[] = [];
  for (const [operation, input, breaks] of calls) {
    const [, result] = await doors.heard(operation, input);
    const [first = "", ...rest] = (JSON.parse(result) as { content: [{ text: string }] }).content[0].text.split("\n");
    const isNext = rest.length === 1 && /^Next: (?:mem|sdd)_[a-z_]+ \{/.test(rest[0] ?? "");
    if (ACTS.test(first) || !/^(?:The|Nothing) /.test(first) || !isNext)
      faults.push(`${operation}: ${first} ${rest.join(" ")}`);
    const shown = (await doors.shown(operation, input)).replace(/\n$/, "").split("\n");
    const isShown =
      shown.length === 1 + breaks && shown[0]?.startsWith("error[") && shown[1]?.startsWith("try: tenon ");
    if (!isShown || shown.some((line) => ACTS.test(line))) faults.push(`terminal ${operation}: ${shown.join("\n")}`);
  }
  return faults;
}

/** All that the pipelines decide by. */
async function stateOf(doors: Doors, root: string): Promise<unknown> {
  const [status, validated, change] = await Promise.all(
    (["workspace.status", "workspace.validate", "change.status"] as const).map((id) => doors.json(id, {})),
  );
  const refused = await doors.json("change.advance", { content: "Nothing that the gate asks for." });
  return { status, validated, change, refused, files: fingerprint(join(root, "sdd")) };
}

interface Kept {
  readonly kind: string;
  readonly id: number;
  readonly source?: string;
}

async function listKept(doors: Doors, root: string, file: string): Promise<Kept[]> {
  expect(await doors.mcp("memory.export", { file })).toBe("ok");
  const lines = fs.readFileSync(join(root, file), "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Kept).filter(({ kind }) => kind === "observation");
}

test.each(POISONS)("%s stays text, shows its source, and can be removed", async (_, text) => {
  using folder = temporaryFolder();
  using doors = openDoors(folder.path);
  await prepareGround(doors, folder.path, text);
  const faults: string[] = [];
  const isPipeline = (operation: string): boolean => /^(?:adr|change)\./.test(operation);
  for (const { operation, input } of listPlantedCalls(text).filter((each) => isPipeline(each.operation))) {
    expect([operation, await doors.mcp(operation, input)]).toEqual([operation, "ok"]);
  }
  const before = await stateOf(doors, folder.path);
  for (const { operation, input } of listPlantedCalls(text).filter((each) => !isPipeline(each.operation))) {
    faults.push(...(await look(doors, operation, input))[0]);
  }
  const rows = await listKept(doors, folder.path, "planted.jsonl");
  expect(rows.filter(({ source = "" }) => /^sdd\/(?:adrs|changes)\/.*\.md$/.test(source)).length).toBe(2);
  const read: string[] = [];
  for (const [operation, input] of readings(rows.map(({ id }) => id))) {
    const [wrong, output, said] = await look(doors, operation, input);
    read.push(said);
    const shown = await doors.shown(operation, input);
    faults.push(...wrong, ...listFaults(operation, shown, output, /^ {2}/).map((each) => `terminal ${each}`));
  }
  faults.push(...(await tables(doors)), ...(await refusals(doors, text)));
  expect(faults).toEqual([]);
  expect(read.filter((said) => said.includes(MARK)).length).toBeGreaterThan(rows.length);
  expect(await stateOf(doors, folder.path)).toEqual(before);
  await purge(doors, folder.path, rows, [SOURCE, cut(text, 2_000)]);
});

/** All of a source goes, and nothing else. */
async function purge(doors: Doors, root: string, rows: readonly Kept[], sources: readonly string[]): Promise<void> {
  for (const source of sources) {
    const here = rows.filter((row) => row.source === source).length;
    expect(here).toBeGreaterThan(0);
    const gone = { action: "destroyed", count: here };
    expect(await doors.json("memory.delete", { source, hard_delete: true })).toEqual(gone);
  }
  const left = rows.filter(({ source }) => source === undefined || !sources.includes(source));
  expect(await listKept(doors, root, "purged.jsonl")).toEqual(left);
}

test("has fifty texts, and finds each by its mark", () => {
  expect(POISONS.length).toBe(50);
  expect(POISONS.filter(([, text]) => !text.includes(MARK))).toEqual([]);
});
