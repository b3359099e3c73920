import type { ProjectDocumentStage } from "../project/flow.ts";
import { adrFrom } from "./adr.ts";
import type { LayoutReader } from "./found.ts";
import { fieldOf, jsonIn } from "./json.ts";
import { Sorting } from "./sorting.ts";

const STAGES: Readonly<Record<string, ProjectDocumentStage>> = {
  proposal: "propose",
  charter: "propose",
  requirements: "specify",
  "business-rules": "business-rules",
  design: "design",
  tasks: "tasks",
};
/** Versions before 1.0 keep their files in `sdd`, later ones in `docs`. */
const OLD = "sdd/sdd.json";
const RECORDS: readonly string[] = [OLD, "docs/specs/hoofy.json", "docs/hoofy.json"];
const CHANGE = /^sdd\/(?:changes|history)\/[^/]+\/change\.json$/;
const OWN =
  /^(?:sdd|docs(?:\/specs)?)\/(?:(?:sdd|hoofy)\.json|(?:principles|charter|proposal|requirements|business-rules|clarifications|design|tasks|validation)\.md|(?:changes|history)\/[^/]+\/.+|adrs\/[^/]+\.md)$/;

export const hoofy: LayoutReader = {
  layout: "hoofy",
  folders: ["sdd", "docs"],
  isMarker: (path) => RECORDS.includes(path) || CHANGE.test(path),
  isThere: (paths) => paths.length > 0,
  rootsIn(markers) {
    const changes = [...markers].flatMap(([path, text]) => (CHANGE.test(path) ? [text] : []));
    return RECORDS.filter((path) => isHoofyAtWork(markers.get(path), path === OLD ? changes : [])).map(folderOf);
  },
  selfIn(paths) {
    if (paths.includes("hoofy.json")) return "docs";
    return paths.some((path) => path === "sdd.json" || CHANGE.test(`sdd/${path}`)) ? "sdd" : undefined;
  },
  isOwn: (path) => OWN.test(path),
  read(files) {
    const sorting = new Sorting(files);
    for (const { path } of sorting.matching(/\/(?:sdd|hoofy)\.json$/))
      sorting.leave(path, "stages and scores of another tool are not believed");
    for (const { path, text, match } of sorting.matching(/^(?:sdd|docs(?:\/specs)?)\/([a-z-]+)\.md$/)) {
      const name = match[1] ?? "";
      const stage = STAGES[name];
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
    for (const { path, text } of sorting.matching(/\/adrs\/[^/]+\.md$/)) sorting.take(adrFrom(path, text));
    readChanges(sorting);
    return sorting.found("it is history");
  },
};

/**
 * Decides by the project record, or by the changes where there is none, because a change needs no project. One record
 * of Tenon's makes the folder Tenon's.
 */
export const isHoofyAtWork = (project: string | undefined, changes: readonly string[]): boolean =>
  project === undefined
    ? changes.length > 0 && changes.every((text) => isHoofys(text, "stages"))
    : isHoofys(project, "stage_status");

/** A record of Hoofy's. Tenon's own records have different fields, even where the checksum was lost. */
function isHoofys(text: string, field: string): boolean {
  const record = jsonIn(text);
  return record !== undefined && field in record && !("checksum" in record) && !("schema" in record);
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));

/** An open change starts again, which needs the user's approval. A closed change is history worth remembering. */
function readChanges(sorting: Sorting): void {
  for (const { path, text } of sorting.matching(/\/(?:changes|history)\/[^/]+\/change\.json$/)) {
    const record = jsonIn(text);
    const [type, size, status] = ["type", "size", "status"].map((name) => fieldOf(record, name));
    const description = fieldOf(record, "description");
    sorting.leave(path, record ? "stages of another tool are not believed" : "it is no JSON that can be read");
    if (description === undefined) continue;
    const folder = escaped(folderOf(path));
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

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
