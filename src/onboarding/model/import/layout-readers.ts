import type { ProjectDocumentStage } from "#kernel/model/stages/project-stages.ts";
import {
  parseForeignAdr,
  readForeignField,
  parseForeignJson,
  findMarkdownChapter,
  parseMarkdownChapters,
  findFirstParagraph,
  formatNameAsTitle,
} from "./imported-markdown.ts";
import {
  createSteeringItem,
  type FileOutcome,
  type ForeignFeature,
  type ForeignFeaturePart,
  type LayoutFile,
  type LayoutReader,
  type LayoutSorter,
  leaveToolFolders,
} from "./import-source.ts";
import { isPlainObject } from "#kernel/model/plain-object.ts";
import { parseDecisionLog } from "#roadmap/model/handover/decision-log.ts";
import { parseKnowledgeFileName } from "#roadmap/model/knowledge/knowledge-kinds.ts";
import { isWorkflowId } from "#kernel/model/workflow-id.ts";
import { kiroLayout, openspecLayout } from "./kiro-openspec-layouts.ts";
import { specKitLayout } from "./spec-kit-layout.ts";

const HOOFY_STAGES: Readonly<Record<string, ProjectDocumentStage>> = {
  proposal: "propose",
  charter: "propose",
  requirements: "specify",
  "business-rules": "business-rules",
  design: "design",
  tasks: "tasks",
};
/** Versions before 1.0 keep their files in `sdd`, later ones in `docs`. */
const OLD_HOOFY_RECORD = "sdd/sdd.json";
const HOOFY_RECORDS: readonly string[] = [OLD_HOOFY_RECORD, "docs/specs/hoofy.json", "docs/hoofy.json"];
const HOOFY_CHANGE = /^sdd\/(?:changes|history)\/[^/]+\/change\.json$/;
const HOOFY_FILE =
  /^(?:sdd|docs(?:\/specs)?)\/(?:(?:sdd|hoofy)\.json|(?:principles|charter|proposal|requirements|business-rules|clarifications|design|tasks|validation)\.md|(?:changes|history)\/[^/]+\/.+|adrs\/[^/]+\.md)$/;

const hoofyLayout: LayoutReader = {
  layout: "hoofy",
  folders: ["sdd", "docs"],
  isMarker: (path) => HOOFY_RECORDS.includes(path) || HOOFY_CHANGE.test(path),
  isThere: (paths) => paths.length > 0,
  rootsIn(markers) {
    const changes = [...markers].flatMap(([path, text]) => (HOOFY_CHANGE.test(path) ? [text] : []));
    return HOOFY_RECORDS.filter((path) =>
      isHoofyInUse(markers.get(path), path === OLD_HOOFY_RECORD ? changes : []),
    ).map(getRecordFolder);
  },
  selfIn(paths) {
    if (paths.includes("hoofy.json")) return "docs";
    return paths.some((path) => path === "sdd.json" || HOOFY_CHANGE.test(`sdd/${path}`)) ? "sdd" : undefined;
  },
  isOwn: (path) => HOOFY_FILE.test(path),
  rows: [
    [/\/(?:sdd|hoofy)\.json$/, { leave: "stages and scores of another tool are not believed" }],
    [
      /^(?:sdd|docs(?:\/specs)?)\/([a-z-]+)\.md$/,
      (file) => {
        const name = file.match[1] ?? "";
        const stage = HOOFY_STAGES[name];
        if (file.text.trim() === "") return { leave: "it is empty" };
        if (stage) return { kind: "project", from: file.path, stage, text: file.text };
        return name === "principles"
          ? createSteeringItem(file)
          : "scores and verdicts of another tool are not believed";
      },
    ],
    [/\/adrs\/[^/]+\.md$/, ({ path, text }) => parseForeignAdr(path, text)],
    [/\/(?:changes|history)\/[^/]+\/change\.json$/, readHoofyChange],
  ],
  rest: "it is history",
};

/**
 * Decides by the project record, or by the changes where there is none, because a change needs no project. One record
 * of Tenon's makes the folder Tenon's.
 */
export const isHoofyInUse = (project: string | undefined, changes: readonly string[]): boolean =>
  project === undefined
    ? changes.length > 0 && changes.every((text) => isHoofyRecord(text, "stages"))
    : isHoofyRecord(project, "stage_status");

/** A record of Hoofy's. Tenon's own records have different fields, even where the checksum was lost. */
function isHoofyRecord(text: string, field: string): boolean {
  const record = parseForeignJson(text);
  return record !== undefined && field in record && !("checksum" in record) && !("schema" in record);
}

const getRecordFolder = (path: string): string => path.slice(0, path.lastIndexOf("/"));

/** An open change starts again, which needs the user's approval. A closed change is history worth remembering. */
function readHoofyChange({ path, text }: LayoutFile, sorter: LayoutSorter): FileOutcome {
  const record = parseForeignJson(text);
  const [type, size, status, description] = ["type", "size", "status", "description"].map((name) =>
    readForeignField(record, name),
  );
  if (description !== undefined) {
    const folder = escapeFolderPattern(getRecordFolder(path));
    const [first] = sorter.matching(new RegExp(`^${folder}/(?:describe|propose|charter|scope)\\.md$`));
    if (status === "active") {
      sorter.begin({ from: path, description, ...(type ? { type } : {}), ...(size ? { size } : {}) });
      for (const document of sorter.matching(new RegExp(`^${folder}/[^/]+\\.md$`)))
        sorter.settle(document, "its change begins anew");
    } else if (first && first.text.trim() !== "")
      sorter.take({
        kind: "document",
        from: first.path,
        text: first.text,
        why: "it is history",
        remember: description,
      });
  }
  return { leave: record ? "stages of another tool are not believed" : "it is no JSON that can be read" };
}

const escapeFolderPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

const SYNC_SDD_ROOT = String.raw`^(?:\.claude\/sdd|\.sdd)\/`;
const createSyncSddPattern = (rest: string): RegExp => new RegExp(`${SYNC_SDD_ROOT}${rest}$`);
const SYNC_SDD_RECORD = createSyncSddPattern(String.raw`project\/specs\/([^/]+)\/spec\.yaml`);
const SYNC_SDD_PART = createSyncSddPattern(String.raw`project\/specs\/([^/]+)\/(design\.md|research\.md|tasks\.yaml)`);
const SYNC_SDD_KNOWLEDGE = createSyncSddPattern(String.raw`project\/knowledge\/([^/]+\.md)`);
const SYNC_SDD_SESSION = createSyncSddPattern(String.raw`handover\/sessions\/(\d{4}-\d{2}-\d{2}(?:-\d{1,3})?\.md)`);

const syncSddLayout: LayoutReader = {
  layout: "sync-sdd",
  folders: [".claude/sdd", ".sdd/project", ".sdd/session", ".sdd/handover", ".sdd/settings", ".sdd/lib"],
  isThere: (paths) =>
    paths.some((path) => createSyncSddPattern(String.raw`(?:project|session|handover)\/.+`).test(path)),
  selfIn: (paths) => (paths.some((path) => /^project\/(?:specs|steering)\/./.test(path)) ? ".claude/sdd" : undefined),
  isOwn: (path) =>
    createSyncSddPattern(String.raw`(?:\.version|(?:project|session|handover|settings|lib)\/.+)`).test(path),
  rows: [
    [createSyncSddPattern(String.raw`project\/steering\/([^/]+)\.md`), (file) => createSteeringItem(file)],
    [SYNC_SDD_RECORD, (file, sorter) => createSyncSddFeature(sorter, file.match[1] ?? "", file)],
    [
      SYNC_SDD_KNOWLEDGE,
      ({ path, text, match: [, name = ""] }) =>
        parseKnowledgeFileName(name) ? { kind: "knowledge", from: path, name, text } : undefined,
    ],
    [SYNC_SDD_SESSION, ({ path, text, match: [, name = ""] }) => ({ kind: "session", from: path, name, text })],
    [
      createSyncSddPattern(String.raw`handover\/decisions\.md`),
      ({ path, text }) => {
        const entries = parseDecisionLog(text);
        return entries.length > 0 ? { kind: "decisions", from: path, entries } : undefined;
      },
    ],
    [
      createSyncSddPattern(String.raw`project\/(?:specs\/roadmap|knowledge\/index)\.md`),
      { leave: "it is made from the other files, here too" },
    ],
    [createSyncSddPattern(String.raw`(?:\.version|session\/state\.yaml)`), { leave: "it is state of another tool" }],
    [
      createSyncSddPattern(String.raw`project\/(?:.*\/)?reviews\/.+`),
      { leave: "verdicts of another tool are not believed" },
    ],
    ...leaveToolFolders(".claude/sdd", "settings"),
    ...leaveToolFolders(".sdd", "settings", "lib"),
  ],
  rest: "it has no place of its own here",
};

function createSyncSddFeature(sorting: LayoutSorter, name: string, record: LayoutFile): ForeignFeature {
  const fields = isPlainObject(record.data) ? record.data : {};
  const { language, roadmap } = fields;
  const parts = sorting
    .matching(SYNC_SDD_PART)
    .filter(({ match }) => match[1] === name)
    .map(({ path, text, match }): ForeignFeaturePart => ({
      from: path,
      as: (match[2] ?? "").replace(/\..*$/, "") as ForeignFeaturePart["as"],
      text,
    }));
  const design = parts.find(({ as }) => as === "design")?.text ?? "";
  const said = findFirstParagraph(
    findMarkdownChapter(parseMarkdownChapters(design), /^(?:Introduction|Overview)\b/i)?.own ?? "",
  );
  const dependencies = isPlainObject(roadmap) ? roadmap["dependencies"] : undefined;
  const isPlaced = isPlainObject(roadmap);
  return {
    kind: "feature",
    from: record.path,
    name,
    description: said === "" ? formatNameAsTitle(name) : said,
    ...(typeof language === "string" && /^[a-z]{2}(?:-[A-Z]{2})?$/.test(language) ? { language } : {}),
    ...(isPlaced
      ? { dependencies: Array.isArray(dependencies) ? dependencies.filter((each) => typeof each === "string") : [] }
      : {}),
    parts,
  };
}

const SPEC_DRIVE_SPEC = /^\.spec-drive\/specs\/([^/]+)\.ya?ml$/;
const SPEC_DRIVE_ADR = /^(?:\.spec-drive\/.*adrs?|docs\/50-decisions)\/[^/]*ADR[^/]*\.md$/i;

const specDriveLayout: LayoutReader = {
  layout: "spec-drive",
  folders: [".spec-drive", "docs/50-decisions"],
  isThere: (paths) => paths.some((path) => path.startsWith(".spec-drive/")),
  selfIn: (paths) =>
    paths.some((path) => /^specs\/[A-Z][A-Z0-9]*-\d{3,6}\.ya?ml$/.test(path)) ? ".spec-drive" : undefined,
  isOwn: (path) => path.startsWith(".spec-drive/") || SPEC_DRIVE_ADR.test(path),
  rows: [
    [/(?:^|\/)[^/]*TEMPLATE[^/]*$/, { leave: "it is a template" }],
    [
      /^\.spec-drive\/(?:.*\/)?(?:SPECS-INDEX|index|state|config)\.ya?ml$/,
      { leave: "it is state or settings of another tool; commands in it are not taken over" },
    ],
    ...leaveToolFolders(".spec-drive", "schemas", "logs", "templates", "scripts", "profiles"),
    [
      SPEC_DRIVE_SPEC,
      ({ path, text, match: [, id = ""] }) =>
        isWorkflowId(id) ? { kind: "spec-file", from: path, id, text } : "its name is not the id of a spec",
    ],
    [SPEC_DRIVE_ADR, ({ path, text }) => parseForeignAdr(path, text)],
  ],
  rest: "it has no place of its own here",
};

/** In the order in which they are tried and reported. */
export const LAYOUT_READERS: readonly LayoutReader[] = [
  hoofyLayout,
  specDriveLayout,
  syncSddLayout,
  specKitLayout,
  openspecLayout,
  kiroLayout,
];
