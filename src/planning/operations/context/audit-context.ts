import type * as z from "zod";
import { CodeMentionSearch, isProsePath } from "../../model/context/code-mention-search.ts";
import {
  isRemovedPiece,
  type DocumentPiece,
  splitDocumentPieces,
  getPieceText,
} from "#kernel/model/document/document-pieces.ts";
import { type ChangeId, isChangeId } from "#kernel/model/stages/change-stages.ts";
import { formatCount, sanitizeText, quote } from "#kernel/model/text-format.ts";
import { listEvidenceLinks } from "#kernel/model/document/id-references.ts";
import { Fault } from "#kernel/model/fault.ts";
import { cutTextStart } from "#kernel/model/search/text-snippet.ts";
import type { Page } from "#kernel/model/page.ts";
import { parseDesignComponents, planTaskWaves } from "../../model/project/design-coverage.ts";
import { parseRequirementItems } from "../../model/project/requirement-items.ts";
import {
  getChangeArtifactPath,
  CHANGES_FOLDER,
  DESIGN_PATH,
  HISTORY_FOLDER,
  REQUIREMENTS_PATH,
  type ChangeShelf,
  TASKS_PATH,
} from "#kernel/model/workspace-paths.ts";
import { loadChangeRecords } from "../change/change-records.ts";
import { listUnknownIds } from "../unknown-ids.ts";
import type { PlanningEngine } from "../engine.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import type { DetailLevel } from "#kernel/operations/text-fields.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import type { SourceFile } from "#git/operations/ports/git-files.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { type ContextSnapshot, readContextSnapshot } from "./context-snapshot.ts";
import type { AuditFinding, ContextAudited } from "./schema.ts";

type AuditFindingData = z.infer<typeof AuditFinding>;
type ContextAuditOutput = z.infer<typeof ContextAudited>;

const MAX_AUDIT_FILE_BYTES = 512 * 1024;
const MAX_AUDIT_BYTES = 128 * 1024 * 1024;
/** Every component name is searched in every file. */
const MAX_AUDIT_COMPONENTS = 200;
const MAX_SHOWN_LOCATIONS: Readonly<Record<DetailLevel, number>> = { summary: 1, standard: 5, full: 100 };

export const contextAuditOperation = defineOperation({
  id: "context.audit",
  effect: "read",
  input: async () => (await import("./schema.ts")).ContextAuditQuery,
  output: async () => (await import("./schema.ts")).ContextAudited,
  async run(
    engine: PlanningEngine,
    { scan_path, detail_level: detail = "standard", max_tokens = DEFAULT_ANSWER_TOKENS },
  ) {
    const look = await engine.store.read((tree) => readContextSnapshot(tree));
    const specs = collectAuditedSpecs(look);
    const search = new CodeMentionSearch(specs.components);
    const scan = await searchCodeMentions(engine, search, scan_path);
    for (const { title, text } of specs.items) search.evidence(title, listEvidenceLinks(text));
    const untasked = await filterUntaskedIds(engine, specs.untasked);
    const strangers = await engine.store.read((tree) => listUnknownIds(tree, search.mentioned.keys()));
    const problems = collectAuditProblems({ ...specs, untasked }, search, strangers, MAX_SHOWN_LOCATIONS[detail]);
    const known = detail === "summary" ? [] : collectMentionedItems(specs, search, MAX_SHOWN_LOCATIONS[detail]);
    const skipped = [
      ...look.unread.map(({ path, why }) => createSkippedAuditFinding(path, why)),
      ...specs.skipped,
      ...scan.skipped,
    ];
    return fitAnswer<AuditFindingData, ContextAuditOutput>(engine, max_tokens, {
      items: [...problems, ...known, ...skipped],
      build: (shown, omitted) => ({
        files: scan.files,
        requirements: specs.items.length,
        problems: problems.length,
        findings: [...shown],
        omitted,
      }),
      page: formatAuditPage,
      shorten: (item, length) =>
        item.kind === "skipped" || item.text === undefined || item.text.length <= length
          ? undefined
          : { ...item, text: cutTextStart(item.text, length) },
    });
  },
  page: (output) => formatAuditPage(output),
});

interface AuditedSpecs {
  readonly items: readonly DocumentPiece[];
  readonly components: readonly string[];
  readonly untasked: readonly string[];
  readonly skipped: readonly AuditFindingData[];
}

function collectAuditedSpecs({ documents }: ContextSnapshot): AuditedSpecs {
  const text = (path: string): string | undefined => documents.find((each) => each.path === path)?.text;
  const [requirements, design, tasks] = [text(REQUIREMENTS_PATH), text(DESIGN_PATH), text(TASKS_PATH)];
  const unwanted = new Set(
    parseRequirementItems(requirements ?? "").flatMap(({ id, priority }) => (priority === "wont" ? [id] : [])),
  );
  const pieces = documents.flatMap((each) => splitDocumentPieces(each)).filter(({ id }) => id !== undefined);
  const first = new Map(pieces.toReversed().map((piece) => [piece.title, piece]));
  const items = [...first.values()]
    .filter((piece) => !isRemovedPiece(piece) && !unwanted.has(piece.title))
    .toSorted((one, other) => (one.title < other.title ? -1 : 1));
  const components = design === undefined ? [] : parseDesignComponents(design).map(({ name }) => name);
  const covered = new Set(planTaskWaves(tasks ?? "").flatMap((task) => task.covers));
  return {
    items,
    components: components.slice(0, MAX_AUDIT_COMPONENTS),
    untasked:
      tasks === undefined
        ? []
        : items.flatMap(({ title }) => (title.startsWith("BR-") || covered.has(title) ? [] : [title])),
    skipped: [
      ...(items.length === 0 ? [createSkippedAuditFinding("ids", "No document defines a requirement or a rule.")] : []),
      ...(design === undefined ? [createSkippedAuditFinding("components", `${DESIGN_PATH} is missing.`)] : []),
      ...(components.length > MAX_AUDIT_COMPONENTS
        ? [
            createSkippedAuditFinding(
              "components",
              `${components.length}, of which the first ${MAX_AUDIT_COMPONENTS} were looked for.`,
            ),
          ]
        : []),
      ...(tasks === undefined ? [createSkippedAuditFinding("tasks", `${TASKS_PATH} is missing.`)] : []),
    ],
  };
}

const createSkippedAuditFinding = (ref: string, text: string): AuditFindingData => ({ kind: "skipped", ref, text });

interface AuditScan {
  readonly files: number;
  readonly skipped: readonly AuditFindingData[];
}

/** Reads one file at a time to limit memory use. */
async function searchCodeMentions(
  { source }: Pick<PlanningEngine, "source">,
  search: CodeMentionSearch,
  scan_path: string | undefined,
): Promise<AuditScan> {
  const within = scan_path?.replaceAll("\\", "/").replace(/^(?:\.\/)+|\/+$/g, "");
  const files = (await source.files()).filter(({ path }) => isInsideFolder(path, within));
  if (files.length === 0 && within !== undefined && within !== ".") throw createNothingToAuditFault(within);
  const code = files.filter(({ path }) => !isProsePath(path));
  const large: SourceFile[] = [];
  let [read, unreadable, bytes, late] = [0, 0, 0, 0];
  for (const file of code) {
    search.path(file.path);
    if (file.bytes > MAX_AUDIT_FILE_BYTES) large.push(file);
    else if (bytes + file.bytes > MAX_AUDIT_BYTES) late++;
    else {
      const text = await source.text(file.path, MAX_AUDIT_FILE_BYTES);
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
      ...(prose > 0 ? [createSkippedAuditFinding(formatCount(prose, "text"), "Prose is not code.")] : []),
      ...(unreadable > 0 ? [createSkippedAuditFinding(formatCount(unreadable, "file"), "Not UTF-8 text.")] : []),
      ...(late > 0
        ? [
            createSkippedAuditFinding(
              formatCount(late, "file"),
              `${MAX_AUDIT_BYTES} bytes were read; give a scan_path.`,
            ),
          ]
        : []),
      ...large.map(({ path, bytes: size }) =>
        createSkippedAuditFinding(path, `It has ${size} bytes; at most ${MAX_AUDIT_FILE_BYTES} are read.`),
      ),
    ],
  };
}

const isInsideFolder = (path: string, folder: string | undefined): boolean =>
  folder === undefined || folder === "." || path === folder || path.startsWith(`${folder}/`);

function createNothingToAuditFault(path: string): Fault {
  return new Fault("context.nothing-there", {
    what: "Nothing was compared.",
    why: `No file of the repository stands at or below ${quote(path)}; what git ignores does not count.`,
    fix: { operation: "context.audit" },
  });
}

/** Drops ids covered by a task of any change that was not abandoned. */
async function filterUntaskedIds(
  { store }: Pick<PlanningEngine, "store">,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  return store.read((tree) => {
    const forgiving = createTolerantTree(tree, () => undefined);
    const given = loadChangeRecords(forgiving).changes.flatMap(({ record }) =>
      record.status === "abandoned" ? record.id : [],
    );
    const texts = [CHANGES_FOLDER, HISTORY_FOLDER].flatMap((shelf) =>
      listChangeTaskTexts(forgiving, shelf, new Set(given)),
    );
    const covered = new Set(texts.flatMap(planTaskWaves).flatMap(({ covers }) => covers));
    return ids.filter((id) => !covered.has(id));
  });
}

const listChangeTaskTexts = (tree: StoreTree, shelf: ChangeShelf, without: ReadonlySet<string>): string[] =>
  tree
    .names(shelf)
    .filter((name): name is ChangeId => isChangeId(name) && !without.has(name))
    .map((id) => tree.text(getChangeArtifactPath(shelf, id, "tasks")) ?? "");

function collectAuditProblems(
  { items, untasked }: AuditedSpecs,
  search: CodeMentionSearch,
  strangers: readonly string[],
  most: number,
): AuditFindingData[] {
  return [
    ...strangers.map((id) => ({ kind: "undefined", ref: id, ...listMentionLocations(search, id, most) })),
    ...items
      .filter(({ title }) => !search.mentioned.has(title))
      .map((piece) => ({ kind: "unmentioned", ref: piece.title, text: formatPieceText(piece) })),
    ...search.unseen.map((name) => ({ kind: "missing-component", ref: name, text: `No path and no file has it.` })),
    ...untasked.map((id) => ({
      kind: "untasked",
      ref: id,
      text: `No task of ${TASKS_PATH} or of a change covers it.`,
    })),
  ];
}

function collectMentionedItems({ items }: AuditedSpecs, search: CodeMentionSearch, most: number): AuditFindingData[] {
  return items
    .filter(({ title }) => search.mentioned.has(title))
    .map(({ title }) => ({ kind: "mentioned", ref: title, ...listMentionLocations(search, title, most) }));
}

function listMentionLocations(
  { mentioned }: CodeMentionSearch,
  id: string,
  most: number,
): Pick<AuditFindingData, "places" | "text"> {
  const places = mentioned.get(id) ?? [];
  const rest = places.length - most;
  return { places: places.slice(0, most), ...(rest > 0 ? { text: `and ${formatCount(rest, "more place")}` } : {}) };
}

const formatPieceText = (piece: DocumentPiece): string => sanitizeText(getPieceText(piece), 200);

const AUDIT_FINDING_HEADS: Readonly<Record<string, string>> = {
  undefined: "is in the code, and no spec defines it",
  unmentioned: "is in no code",
  "missing-component": "is in the design only",
  untasked: "has no task",
  mentioned: "is in the code",
};

function formatAuditPage({ files, requirements, problems, findings, omitted }: ContextAuditOutput): Page {
  return {
    title: `${formatCount(problems, "problem")}: ${formatCount(requirements, "requirement")} against ${formatCount(files, "file")}.`,
    points: [
      ...findings.map(({ kind, ref, text, places = [] }) => {
        const told = [...places, ...(text ? [text] : [])].map((each) => sanitizeText(each, 300)).join(", ");
        return `${AUDIT_FINDING_HEADS[kind] ? `${sanitizeText(ref)} ${AUDIT_FINDING_HEADS[kind]}` : `Skipped ${sanitizeText(ref, 200)}`}${told ? `: ${told}` : ""}`;
      }),
      ...(omitted > 0 ? [`${omitted} more left out for max_tokens.`] : []),
    ],
  };
}
