import { count } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import { keyOf } from "#domain/indexing/outline.ts";
import { readingOf } from "#domain/indexing/reading.ts";
import { rankFound } from "#domain/indexing/query/rank.ts";
import { type KeptSummary, summaryOf } from "#domain/indexing/summary.ts";
import type { Question } from "#domain/memory/question.ts";
import { nameOfTag } from "#domain/scan/tags.ts";
import { mentionsIn } from "#domain/trace/mention.ts";
import type { Engine } from "../engine.ts";
import { knownSummaries } from "../indexing/known-summaries.ts";
import { bringIndexUpToDate } from "../indexing/up-to-date.ts";
import type { CodeIndex, ComponentRow, TagRow } from "../ports/code-index.ts";
import type { Detail } from "../text.ts";
import type { Found } from "./finding.ts";

export interface CodeLook {
  readonly found: readonly Found[];
  readonly silent?: string;
}

interface Asked {
  readonly question: Question;
  readonly said: string;
  readonly detail: Detail;
  readonly most: number;
}

/** Files. A context check has to be fast; `tenon index` reads more. */
const MOST_UNREAD = 500;
const MOST_IDS = 10;
const MOST_RANKED = 100;
const LEAST_SHARE = 0.5;

/** Code tagged with a named id first, then code with similar words. */
export async function lookAtCode(engine: Engine, asked: Asked): Promise<CodeLook> {
  const files = (await engine.source.files()).filter(({ path }) => readingOf(path) === "code");
  if (files.length === 0) return { found: [] };
  try {
    const stamps = await (await engine.codeIndex()).stamps();
    const unread = files.filter(({ path, stamp }) => stamps.get(path)?.stamp !== stamp).length;
    if (unread > MOST_UNREAD) {
      const silent = `${count(unread, "file")} of code were not read yet. The user can have it done: tenon index`;
      return { found: [], silent };
    }
    const { index } = await bringIndexUpToDate({ ...engine, notice: () => undefined });
    return { found: await findings(engine, index, asked) };
  } catch (error) {
    if (!(error instanceof Fault) || error.code === "call.cancelled") throw error;
    return { found: [], silent: error.why };
  }
}

interface Spot {
  readonly path: string;
  readonly line: number;
  readonly row?: ComponentRow;
}

async function findings(engine: Engine, index: CodeIndex, asked: Asked): Promise<Found[]> {
  const spots = new Map<string, Spot>();
  for (const spot of [...(await carrying(index, asked.said)), ...(await speaking(index, asked.question))])
    if (spots.size < asked.most && !isAround(spot, spots)) spots.set(keyAt(spot), spot);
  const summaries = await knownSummaries(engine, index, [...spots.keys()]);
  const found: Found[] = [];
  for (const [key, { path, line, row }] of spots) {
    const ids = await idsAt(index, path, row?.ref);
    const name = row?.ref ?? "the file";
    const text = row && saysOf(row, summaries.get(key));
    found.push({
      kind: "code",
      ref: `${path}:${line}`,
      title: ids.length === 0 ? name : `${name} (${ids.join(", ")})`,
      ...(asked.detail === "summary" || text === undefined ? {} : { text }),
    });
  }
  return found;
}

const keyAt = ({ path, row }: Spot): string => (row ? keyOf(path, row.ref) : path);

/** A class is skipped if one of its methods is already listed. */
const isAround = (spot: Spot, found: ReadonlyMap<string, Spot>): boolean =>
  spot.row !== undefined && [...found.keys()].some((key) => key.startsWith(`${keyAt(spot)}.`));

/** Without a doc comment the summary only repeats the signature. */
function saysOf(row: ComponentRow, kept: KeptSummary | undefined): string {
  const { text, source } = summaryOf(row, kept);
  return source === "itself" && row.doc === "" ? row.signature : `${row.signature}\n${text}`;
}

async function carrying(index: CodeIndex, said: string): Promise<Spot[]> {
  const spots: Spot[] = [];
  for (const { id } of mentionsIn(said, () => true).slice(0, MOST_IDS))
    for (const tag of await index.tags({ spec: id })) spots.push(await spotOf(index, tag));
  return spots;
}

async function spotOf(index: CodeIndex, { path, ref, line }: TagRow): Promise<Spot> {
  const [row] = ref === undefined ? [] : await index.components({ path, ref, most: 1 });
  return row ? spotAt(row) : { path, line };
}

const spotAt = (row: ComponentRow): Spot => ({ path: row.path, line: row.line, row });

async function speaking(index: CodeIndex, question: Question): Promise<Spot[]> {
  const { entries, weights } = await index.candidates(question, MOST_RANKED);
  // Specs and documents are reported separately.
  const code = entries.filter(({ component }) => component !== undefined);
  const ranked = rankFound(question, weights, code);
  const least = (ranked[0]?.score ?? 0) * LEAST_SHARE;
  return ranked
    .filter(({ score }) => score >= least)
    .flatMap(({ item }) => (item.component ? [spotAt(item.component)] : []));
}

async function idsAt(index: CodeIndex, path: string, ref: string | undefined): Promise<string[]> {
  const tags = await index.tags({ path });
  return [...new Set(tags.filter((tag) => tag.ref === ref).map(nameOfTag))];
}
