import type * as z from "zod";
import { CodeMentionSearch, isProsePath } from "../../model/context/code-mention-search.ts";
import { isRemovedPiece, splitDocumentPieces, getPieceText } from "#kernel/model/document/document-pieces.ts";
import { isChangeId } from "#kernel/model/stages/change-stages.ts";
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
  TASKS_PATH,
} from "#kernel/model/workspace-paths.ts";
import { readArtifactText } from "../change/artifact-files.ts";
import { loadChangeRecords } from "../change/change-records.ts";
import { listUnknownIds } from "../unknown-ids.ts";
import type { PlanningEngine } from "../engine.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import type { DetailLevel } from "#kernel/operations/text-fields.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
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
    const look = await engine.store.read((tree) => readContextSnapshot(tree, { isWithHistory: false }));
    const specs = collectAuditedSpecs(look);
    const search = new CodeMentionSearch(specs.components);
    const scan = await searchCodeMentions(engine, search, scan_path);
    for (const { title, text } of specs.items) search.evidence(title, listEvidenceLinks(text));
    const untasked = await filterUntaskedIds(engine, specs.untasked);
    const strangers = await engine.store.read((tree) => listUnknownIds(tree, search.mentioned.keys()));
    const locate = (id: string): Pick<AuditFindingData, "places" | "text"> => {
      const places = search.mentioned.get(id) ?? [];
      const most = MAX_SHOWN_LOCATIONS[detail];
      const rest = places.length - most;
      return { places: places.slice(0, most), ...(rest > 0 ? { text: `and ${formatCount(rest, "more place")}` } : {}) };
    };
    const found = specs.items.filter(({ title }) => search.mentioned.has(title));
    const problems: AuditFindingData[] = [
      ...strangers.map((ref) => ({ kind: "undefined", ref, ...locate(ref) })),
      ...specs.items
        .filter((piece) => !found.includes(piece))
        .map((piece) => ({ kind: "unmentioned", ref: piece.title, text: sanitizeText(getPieceText(piece), 200) })),
      ...search.unseen.map((ref) => ({ kind: "missing-component", ref, text: "No path or file contains it." })),
      ...untasked.map((ref) => ({ kind: "untasked", ref, text: `No task of ${TASKS_PATH} or of a change covers it.` })),
    ];
    const items = [
      ...problems,
      ...(detail === "summary" ? [] : found.map(({ title }) => ({ kind: "mentioned", ref: title, ...locate(title) }))),
      ...look.unread.map(({ path, why }) => createSkippedAuditFinding(path, why)),
      ...specs.skipped,
      ...scan.skipped,
    ];
    return fitAnswer<AuditFindingData, ContextAuditOutput>(engine, max_tokens, {
      items,
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

function collectAuditedSpecs({ documents }: ContextSnapshot) {
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
  const components = parseDesignComponents(design ?? "").map(({ name }) => name);
  const covered = new Set(planTaskWaves(tasks ?? "").flatMap((task) => task.covers));
  const uncovered = items.map(({ title }) => title).filter((id) => !id.startsWith("BR-") && !covered.has(id));
  const beyond = `${components.length}, of which the first ${MAX_AUDIT_COMPONENTS} were searched.`;
  return {
    items,
    components: components.slice(0, MAX_AUDIT_COMPONENTS),
    untasked: tasks === undefined ? [] : uncovered,
    skipped: [
      ...(items.length === 0 ? [createSkippedAuditFinding("ids", "No document defines a requirement or a rule.")] : []),
      ...(design === undefined ? [createSkippedAuditFinding("components", `${DESIGN_PATH} is missing.`)] : []),
      ...(components.length > MAX_AUDIT_COMPONENTS ? [createSkippedAuditFinding("components", beyond)] : []),
      ...(tasks === undefined ? [createSkippedAuditFinding("tasks", `${TASKS_PATH} is missing.`)] : []),
    ],
  };
}

const createSkippedAuditFinding = (ref: string, text: string): AuditFindingData => ({ kind: "skipped", ref, text });

/** Reads one file at a time to limit memory use. */
async function searchCodeMentions({ source }: PlanningEngine, search: CodeMentionSearch, scan_path = ".") {
  const within = scan_path.replaceAll("\\", "/").replace(/^(?:\.\/)+|\/+$/g, "");
  const isInside = (path: string): boolean => within === "." || path === within || path.startsWith(`${within}/`);
  const files = (await source.files()).filter(({ path }) => isInside(path));
  if (files.length === 0 && within !== ".") {
    throw new Fault("context.nothing-there", {
      what: "Nothing was compared.",
      why: `The repository has no file at or below ${quote(within)}; ignored files do not count.`,
      fix: { operation: "context.audit" },
    });
  }
  const code = files.filter(({ path }) => !isProsePath(path));
  const large: AuditFindingData[] = [];
  let [read, unreadable, bytes, late] = [0, 0, 0, 0];
  for (const file of code) {
    search.path(file.path);
    if (file.bytes > MAX_AUDIT_FILE_BYTES) {
      const why = `It has ${file.bytes} bytes; at most ${MAX_AUDIT_FILE_BYTES} are read.`;
      large.push(createSkippedAuditFinding(file.path, why));
    } else if (bytes + file.bytes > MAX_AUDIT_BYTES) late++;
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
  const counted = [
    [files.length - code.length, "text", "Documents are not code."],
    [unreadable, "file", "Not UTF-8 text."],
    [late, "file", `${MAX_AUDIT_BYTES} bytes were read; give a scan_path.`],
  ] as const;
  const skipped = counted.filter(([count]) => count > 0);
  return {
    files: read,
    skipped: [
      ...skipped.map(([count, noun, why]) => createSkippedAuditFinding(formatCount(count, noun), why)),
      ...large,
    ],
  };
}

/** Drops ids covered by a task of any change that was not abandoned. */
async function filterUntaskedIds({ store }: PlanningEngine, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  return store.read((tree) => {
    const forgiving = createTolerantTree(tree, () => undefined);
    const { changes } = loadChangeRecords(forgiving);
    const abandoned = new Set(changes.flatMap(({ record }) => (record.status === "abandoned" ? record.id : [])));
    const texts = [CHANGES_FOLDER, HISTORY_FOLDER].flatMap((shelf) => {
      const changeIds = forgiving.names(shelf).filter(isChangeId);
      return changeIds
        .filter((id) => !abandoned.has(id))
        .map((id) => readArtifactText(forgiving, getChangeArtifactPath(shelf, id, "tasks")) ?? "");
    });
    const covered = new Set(texts.flatMap(planTaskWaves).flatMap(({ covers }) => covers));
    return ids.filter((id) => !covered.has(id));
  });
}

const AUDIT_FINDING_HEADS: Readonly<Record<string, string>> = {
  undefined: "is in the code, but no spec defines it",
  unmentioned: "is not in the code",
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
        const head = AUDIT_FINDING_HEADS[kind];
        const about = head ? `${sanitizeText(ref)} ${head}` : `Skipped ${sanitizeText(ref, 200)}`;
        return told ? `${about}: ${told}` : about;
      }),
      ...(omitted > 0 ? [`${omitted} more left out for max_tokens.`] : []),
    ],
  };
}
