import type * as z from "zod";
import { CodeSearch, isProse } from "#domain/context/audit.ts";
import { isRemoved, type Piece, piecesOf, saidBy } from "#domain/context/piece.ts";
import { type ChangeId, isChangeId } from "#domain/change/id.ts";
import { count } from "#domain/count.ts";
import { evidenceIn } from "#domain/document/evidence.ts";
import { Fault } from "#domain/fault.ts";
import { startOf } from "#domain/memory/snippet.ts";
import type { Page } from "#domain/page.ts";
import { parseComponents } from "#domain/project/components.ts";
import { planTasks } from "#domain/project/plan.ts";
import { parseRequirements } from "#domain/project/requirements.ts";
import { plain, quote } from "#domain/quote.ts";
import { changeArtifact, CHANGES, DESIGN, HISTORY, REQUIREMENTS, type Shelf, TASKS } from "#domain/workspace/path.ts";
import { everyChange } from "../change/census.ts";
import { strangersAmong } from "../strangers.ts";
import type { Engine } from "../engine.ts";
import { CEILING, fit } from "../fit.ts";
import { forgivingTree } from "../forgiving-tree.ts";
import type { Detail } from "../text.ts";
import { operation } from "../operation.ts";
import type { SourceFile } from "../ports/source.ts";
import type { Tree } from "../ports/store.ts";
import { type Look, lookAround } from "./look.ts";
import type { AuditFinding, ContextAudited, ContextAuditQuery } from "./schema.ts";

type Found = z.infer<typeof AuditFinding>;
type Output = z.infer<typeof ContextAudited>;

const LARGEST_FILE = 512 * 1024;
const MOST_BYTES = 128 * 1024 * 1024;
/** Every component name is searched in every file. */
const MOST_COMPONENTS = 200;
const MOST_PLACES: Readonly<Record<Detail, number>> = { summary: 1, standard: 5, full: 100 };

export const audit = operation<z.infer<typeof ContextAuditQuery>, Output>({
  id: "context.audit",
  effect: "read",
  input: async () => (await import("./schema.ts")).ContextAuditQuery,
  output: async () => (await import("./schema.ts")).ContextAudited,
  async run(engine, { scan_path, detail_level: detail = "standard", max_tokens = CEILING }) {
    const look = await engine.store.read((tree) => lookAround(tree));
    const specs = specsIn(look);
    const search = new CodeSearch(specs.components);
    const scan = await searchCode(engine, search, scan_path);
    for (const { title, text } of specs.items) search.evidence(title, evidenceIn(text));
    const untasked = await withoutTask(engine, specs.untasked);
    const strangers = await engine.store.read((tree) => strangersAmong(tree, search.mentioned.keys()));
    const problems = problemsIn({ ...specs, untasked }, search, strangers, MOST_PLACES[detail]);
    const known = detail === "summary" ? [] : mentionedIn(specs, search, MOST_PLACES[detail]);
    const skipped = [...look.unread.map(({ path, why }) => asSkipped(path, why)), ...specs.skipped, ...scan.skipped];
    return fit<Found, Output>(engine, max_tokens, {
      items: [...problems, ...known, ...skipped],
      build: (shown, omitted) => ({
        files: scan.files,
        requirements: specs.items.length,
        problems: problems.length,
        findings: [...shown],
        omitted,
      }),
      page,
      shorten: (item, length) =>
        item.kind === "skipped" || item.text === undefined || item.text.length <= length
          ? undefined
          : { ...item, text: startOf(item.text, length) },
    });
  },
  page: (output) => page(output),
});

interface Specs {
  readonly items: readonly Piece[];
  readonly components: readonly string[];
  readonly untasked: readonly string[];
  readonly skipped: readonly Found[];
}

function specsIn({ documents }: Look): Specs {
  const text = (path: string): string | undefined => documents.find((each) => each.path === path)?.text;
  const [requirements, design, tasks] = [text(REQUIREMENTS), text(DESIGN), text(TASKS)];
  const unwanted = new Set(
    parseRequirements(requirements ?? "").flatMap(({ id, priority }) => (priority === "wont" ? [id] : [])),
  );
  const pieces = documents.flatMap((each) => piecesOf(each)).filter(({ id }) => id !== undefined);
  const first = new Map(pieces.toReversed().map((piece) => [piece.title, piece]));
  const items = [...first.values()]
    .filter((piece) => !isRemoved(piece) && !unwanted.has(piece.title))
    .toSorted((one, other) => (one.title < other.title ? -1 : 1));
  const components = design === undefined ? [] : parseComponents(design).map(({ name }) => name);
  const covered = new Set(planTasks(tasks ?? "").flatMap((task) => task.covers));
  return {
    items,
    components: components.slice(0, MOST_COMPONENTS),
    untasked:
      tasks === undefined
        ? []
        : items.flatMap(({ title }) => (title.startsWith("BR-") || covered.has(title) ? [] : [title])),
    skipped: [
      ...(items.length === 0 ? [asSkipped("ids", "No document defines a requirement or a rule.")] : []),
      ...(design === undefined ? [asSkipped("components", `${DESIGN} is missing.`)] : []),
      ...(components.length > MOST_COMPONENTS
        ? [asSkipped("components", `${components.length}, of which the first ${MOST_COMPONENTS} were looked for.`)]
        : []),
      ...(tasks === undefined ? [asSkipped("tasks", `${TASKS} is missing.`)] : []),
    ],
  };
}

const asSkipped = (ref: string, text: string): Found => ({ kind: "skipped", ref, text });

interface Scan {
  readonly files: number;
  readonly skipped: readonly Found[];
}

/** Reads one file at a time to limit memory use. */
async function searchCode(
  { source }: Pick<Engine, "source">,
  search: CodeSearch,
  scan_path: string | undefined,
): Promise<Scan> {
  const within = scan_path?.replaceAll("\\", "/").replace(/^(?:\.\/)+|\/+$/g, "");
  const files = (await source.files()).filter(({ path }) => isWithin(path, within));
  if (files.length === 0 && within !== undefined && within !== ".") throw nothingThere(within);
  const code = files.filter(({ path }) => !isProse(path));
  const large: SourceFile[] = [];
  let [read, unreadable, bytes, late] = [0, 0, 0, 0];
  for (const file of code) {
    search.path(file.path);
    if (file.bytes > LARGEST_FILE) large.push(file);
    else if (bytes + file.bytes > MOST_BYTES) late++;
    else {
      const text = await source.text(file.path, LARGEST_FILE);
      bytes += file.bytes;
      if (text === undefined) unreadable++;
      else {
        search.text(file.path, text);
        read++;
      }
    }
  }
  const prose = files.length - code.length;
  return {
    files: read,
    skipped: [
      ...(prose > 0 ? [asSkipped(count(prose, "text"), "Prose is not code.")] : []),
      ...(unreadable > 0 ? [asSkipped(count(unreadable, "file"), "Not UTF-8 text.")] : []),
      ...(late > 0 ? [asSkipped(count(late, "file"), `${MOST_BYTES} bytes were read; give a scan_path.`)] : []),
      ...large.map(({ path, bytes: size }) =>
        asSkipped(path, `It has ${size} bytes; at most ${LARGEST_FILE} are read.`),
      ),
    ],
  };
}

const isWithin = (path: string, folder: string | undefined): boolean =>
  folder === undefined || folder === "." || path === folder || path.startsWith(`${folder}/`);

function nothingThere(path: string): Fault {
  return new Fault("context.nothing-there", {
    what: "Nothing was compared.",
    why: `No file of the repository stands at or below ${quote(path)}; what git ignores does not count.`,
    fix: { operation: "context.audit" },
  });
}

/** Drops ids covered by a task of any change that was not abandoned. */
async function withoutTask({ store }: Pick<Engine, "store">, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  return store.read((tree) => {
    const forgiving = forgivingTree(tree, () => undefined);
    const given = everyChange(forgiving).changes.flatMap(({ record }) =>
      record.status === "abandoned" ? record.id : [],
    );
    const texts = [CHANGES, HISTORY].flatMap((shelf) => tasksIn(forgiving, shelf, new Set(given)));
    const covered = new Set(texts.flatMap(planTasks).flatMap(({ covers }) => covers));
    return ids.filter((id) => !covered.has(id));
  });
}

const tasksIn = (tree: Tree, shelf: Shelf, without: ReadonlySet<string>): string[] =>
  tree
    .names(shelf)
    .filter((name): name is ChangeId => isChangeId(name) && !without.has(name))
    .map((id) => tree.text(changeArtifact(shelf, id, "tasks")) ?? "");

function problemsIn(
  { items, untasked }: Specs,
  search: CodeSearch,
  strangers: readonly string[],
  most: number,
): Found[] {
  return [
    ...strangers.map((id) => ({ kind: "undefined", ref: id, ...placesOf(search, id, most) })),
    ...items
      .filter(({ title }) => !search.mentioned.has(title))
      .map((piece) => ({ kind: "unmentioned", ref: piece.title, text: textOf(piece) })),
    ...search.unseen.map((name) => ({ kind: "missing-component", ref: name, text: `No path and no file has it.` })),
    ...untasked.map((id) => ({ kind: "untasked", ref: id, text: `No task of ${TASKS} or of a change covers it.` })),
  ];
}

function mentionedIn({ items }: Specs, search: CodeSearch, most: number): Found[] {
  return items
    .filter(({ title }) => search.mentioned.has(title))
    .map(({ title }) => ({ kind: "mentioned", ref: title, ...placesOf(search, title, most) }));
}

function placesOf({ mentioned }: CodeSearch, id: string, most: number): Pick<Found, "places" | "text"> {
  const places = mentioned.get(id) ?? [];
  const rest = places.length - most;
  return { places: places.slice(0, most), ...(rest > 0 ? { text: `and ${count(rest, "more place")}` } : {}) };
}

const textOf = (piece: Piece): string => plain(saidBy(piece), 200);

const HEADS: Readonly<Record<string, string>> = {
  undefined: "is in the code, and no spec defines it",
  unmentioned: "is in no code",
  "missing-component": "is in the design only",
  untasked: "has no task",
  mentioned: "is in the code",
};

function page({ files, requirements, problems, findings, omitted }: Output): Page {
  return {
    title: `${count(problems, "problem")}: ${count(requirements, "requirement")} against ${count(files, "file")}.`,
    points: [
      ...findings.map(({ kind, ref, text, places = [] }) => {
        const told = [...places, ...(text ? [text] : [])].map((each) => plain(each, 300)).join(", ");
        return `${HEADS[kind] ? `${plain(ref)} ${HEADS[kind]}` : `Skipped ${plain(ref, 200)}`}${told ? `: ${told}` : ""}`;
      }),
      ...(omitted > 0 ? [`${omitted} more left out for max_tokens.`] : []),
    ],
  };
}
