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
import type { FileOutcome, ForeignFeature, LayoutFile, LayoutReader, LayoutSorter } from "./import-source.ts";
import { createSteeringItem, leaveToolFolders } from "./import-source.ts";
import { listStringItems } from "#kernel/model/data-tree.ts";
import { isPlainObject } from "#kernel/model/plain-object.ts";
import { parseDecisionLog } from "#roadmap/model/handover/decision-log.ts";
import { parseKnowledgeFileName } from "#roadmap/model/knowledge/lesson.ts";
import { isWorkflowId } from "#kernel/model/workflow-id.ts";
import { kiroLayout } from "./kiro-layout.ts";
import { openspecLayout } from "./openspec-layout.ts";
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
    [/\/(?:sdd|hoofy)\.json$/, { leave: "Tenon does not use stages and scores of other tools" }],
    [
      /^(?:sdd|docs(?:\/specs)?)\/([a-z-]+)\.md$/,
      (file) => {
        const name = file.match[1] ?? "";
        const stage = HOOFY_STAGES[name];
        if (file.text.trim() === "") return { leave: "it is empty" };
        if (stage) return { kind: "project", from: file.path, stage, text: file.text };
        return name === "principles"
          ? createSteeringItem(file)
          : "Tenon does not use scores and verdicts of other tools";
      },
    ],
    [/\/adrs\/[^/]+\.md$/, ({ path, text }) => parseForeignAdr(path, text)],
    [/\/(?:changes|history)\/[^/]+\/change\.json$/, readHoofyChange],
  ],
  rest: "it is history",
};

/** By the project record, else by the changes. One record of Tenon makes the folder Tenon's. */
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
    const folder = getRecordFolder(path);
    const documents = sorter.matching(/\/[^/]+\.md$/).filter((each) => getRecordFolder(each.path) === folder);
    const first = documents.find((each) => /\/(?:describe|propose|charter|scope)\.md$/.test(each.path));
    if (status === "active") {
      const begun = { from: path, description, ...(type ? { type } : {}), ...(size ? { size } : {}) };
      sorter.contents.work.push(begun);
      for (const document of documents) sorter.settle(document, "Tenon starts a new change for it");
    } else if (first && first.text.trim() !== "") {
      const { path: from, text: said } = first;
      sorter.take({ kind: "document", from, text: said, why: "it is history", remember: description });
    }
  }
  return { leave: record ? "Tenon does not use stages of other tools" : "it is not valid JSON" };
}

const SYNC_SDD_ROOT = String.raw`^(?:\.claude\/sdd|\.sdd)\/`;
const createSyncSddPattern = ({ source }: RegExp): RegExp => new RegExp(`${SYNC_SDD_ROOT}${source}$`);
const SYNC_SDD_PART = createSyncSddPattern(/project\/specs\/([^/]+)\/(design\.md|research\.md|tasks\.yaml)/);

const syncSddLayout: LayoutReader = {
  layout: "sync-sdd",
  folders: [".claude/sdd", ".sdd/project", ".sdd/session", ".sdd/handover", ".sdd/settings", ".sdd/lib"],
  isThere: (paths) => paths.some((path) => createSyncSddPattern(/(?:project|session|handover)\/.+/).test(path)),
  selfIn: (paths) => (paths.some((path) => /^project\/(?:specs|steering)\/./.test(path)) ? ".claude/sdd" : undefined),
  isOwn: (path) => createSyncSddPattern(/(?:\.version|(?:project|session|handover|settings|lib)\/.+)/).test(path),
  rows: [
    [createSyncSddPattern(/project\/steering\/([^/]+)\.md/), (file) => createSteeringItem(file)],
    [
      createSyncSddPattern(/project\/specs\/([^/]+)\/spec\.yaml/),
      (file, sorter) => createSyncSddFeature(sorter, file.match[1] ?? "", file),
    ],
    [
      createSyncSddPattern(/project\/knowledge\/([^/]+\.md)/),
      ({ path, text, match: [, name = ""] }) =>
        parseKnowledgeFileName(name) ? { kind: "knowledge", from: path, name, text } : undefined,
    ],
    [
      createSyncSddPattern(/handover\/sessions\/(\d{4}-\d{2}-\d{2}(?:-\d{1,3})?\.md)/),
      ({ path, text, match: [, name = ""] }) => ({ kind: "session", from: path, name, text }),
    ],
    [
      createSyncSddPattern(/handover\/decisions\.md/),
      ({ path, text }) => {
        const entries = parseDecisionLog(text);
        return entries.length > 0 ? { kind: "decisions", from: path, entries } : undefined;
      },
    ],
    [
      createSyncSddPattern(/project\/(?:specs\/roadmap|knowledge\/index)\.md/),
      { leave: "Tenon also generates it from the other files" },
    ],
    [createSyncSddPattern(/(?:\.version|session\/state\.yaml)/), { leave: "it is state of another tool" }],
    [createSyncSddPattern(/project\/(?:.*\/)?reviews\/.+/), { leave: "Tenon does not use verdicts of other tools" }],
    ...leaveToolFolders(".claude/sdd", "settings"),
    ...leaveToolFolders(".sdd", "settings", "lib"),
  ],
  rest: "Tenon has no equivalent",
};

function createSyncSddFeature(sorting: LayoutSorter, name: string, record: LayoutFile): ForeignFeature {
  const { language, roadmap } = isPlainObject(record.data) ? record.data : {};
  const parts = sorting.listParts(SYNC_SDD_PART, name);
  const design = parts.find(({ as }) => as === "design")?.text ?? "";
  const introduction = findMarkdownChapter(parseMarkdownChapters(design), /^(?:Introduction|Overview)\b/i);
  const said = findFirstParagraph(introduction?.own ?? "");
  return {
    kind: "feature",
    from: record.path,
    name,
    description: said === "" ? formatNameAsTitle(name) : said,
    ...(typeof language === "string" && /^[a-z]{2}(?:-[A-Z]{2})?$/.test(language) ? { language } : {}),
    ...(isPlainObject(roadmap) ? { dependencies: listStringItems(roadmap["dependencies"]) } : {}),
    parts,
  };
}

const SPEC_DRIVE_ADR = /^(?:\.spec-drive\/.*adrs?|docs\/50-decisions)\/[^/]*ADR[^/]*\.md$/i;

/** Spec-drive also writes the id of a spec with a prefix: `SPEC-AUTH-001`. */
function readSpecDriveFile(from: string, name: string, text: string): FileOutcome {
  if (isWorkflowId(name)) return { kind: "spec-file", from, id: name, text };
  const id = name.replace(/^SPEC-/, "");
  if (!isWorkflowId(id)) return "its name is not the id of a spec";
  return { kind: "spec-file", from, id, text: text.replace(/^((?:spec_)?id:[ \t]*["']?)SPEC-/m, "$1") };
}

const specDriveLayout: LayoutReader = {
  layout: "spec-drive",
  folders: [".spec-drive", "docs/50-decisions"],
  isThere: (paths) => paths.some((path) => path.startsWith(".spec-drive/")),
  selfIn: (paths) =>
    paths.some((path) => /^specs\/(?:SPEC-)?[A-Z][A-Z0-9]*-\d{3,6}\.ya?ml$/.test(path)) ? ".spec-drive" : undefined,
  isOwn: (path) => path.startsWith(".spec-drive/") || SPEC_DRIVE_ADR.test(path),
  rows: [
    [/(?:^|\/)[^/]*TEMPLATE[^/]*$/, { leave: "it is a template" }],
    [
      /^\.spec-drive\/(?:.*\/)?(?:SPECS-INDEX|index|state|config)\.ya?ml$/,
      { leave: "it is state or settings of another tool; Tenon does not import its commands" },
    ],
    ...leaveToolFolders(".spec-drive", "schemas", "logs", "templates", "scripts", "profiles"),
    [
      /^\.spec-drive\/specs\/([^/]+)\.ya?ml$/,
      ({ path, text, match: [, name = ""] }) => readSpecDriveFile(path, name, text),
    ],
    [SPEC_DRIVE_ADR, ({ path, text }) => parseForeignAdr(path, text)],
  ],
  rest: "Tenon has no equivalent",
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
