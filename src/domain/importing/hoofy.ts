import type { ProjectDocumentStage } from "../project/flow.ts";
import { parseForeignAdr } from "./adr.ts";
import type { LayoutReader } from "./found.ts";
import { readForeignField, parseForeignJson } from "./json.ts";
import { LayoutSorter } from "./sorting.ts";

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

export const hoofyLayout: LayoutReader = {
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
  read(files) {
    const sorting = new LayoutSorter(files);
    for (const { path } of sorting.matching(/\/(?:sdd|hoofy)\.json$/))
      sorting.leave(path, "stages and scores of another tool are not believed");
    for (const { path, text, match } of sorting.matching(/^(?:sdd|docs(?:\/specs)?)\/([a-z-]+)\.md$/)) {
      const name = match[1] ?? "";
      const stage = HOOFY_STAGES[name];
      if (text.trim() === "") sorting.leave(path, "it is empty");
      else if (stage) sorting.take({ kind: "project", from: path, stage, text });
      else if (name === "principles") sorting.take({ kind: "steering", from: path, name, text });
      else
        sorting.take({
          kind: "document",
          from: path,
          text,
          why: "scores and verdicts of another tool are not believed",
        });
    }
    for (const { path, text } of sorting.matching(/\/adrs\/[^/]+\.md$/)) sorting.take(parseForeignAdr(path, text));
    readHoofyChanges(sorting);
    return sorting.found("it is history");
  },
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
function readHoofyChanges(sorting: LayoutSorter): void {
  for (const { path, text } of sorting.matching(/\/(?:changes|history)\/[^/]+\/change\.json$/)) {
    const record = parseForeignJson(text);
    const [type, size, status] = ["type", "size", "status"].map((name) => readForeignField(record, name));
    const description = readForeignField(record, "description");
    sorting.leave(path, record ? "stages of another tool are not believed" : "it is no JSON that can be read");
    if (description === undefined) continue;
    const folder = escapeFolderPattern(getRecordFolder(path));
    if (status === "active") {
      sorting.begin({ from: path, description, ...(type ? { type } : {}), ...(size ? { size } : {}) });
      for (const document of sorting.matching(new RegExp(`^${folder}/[^/]+\\.md$`)))
        sorting.take({ kind: "document", from: document.path, text: document.text, why: "its change begins anew" });
    }
    const [first] = sorting.matching(new RegExp(`^${folder}/(?:describe|propose|charter|scope)\\.md$`));
    if (first && status !== "active" && first.text.trim() !== "")
      sorting.take({
        kind: "document",
        from: first.path,
        text: first.text,
        why: "it is history",
        remember: description,
      });
  }
}

const escapeFolderPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
