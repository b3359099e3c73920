import { isWorkflowId } from "../workflow/id.ts";
import { parseForeignAdr } from "./adr.ts";
import type { LayoutReader } from "./found.ts";
import { LayoutSorter } from "./sorting.ts";

const SPEC_DRIVE_SPEC = /^\.spec-drive\/specs\/([^/]+)\.ya?ml$/;
const SPEC_DRIVE_ADR = /^(?:\.spec-drive\/.*adrs?|docs\/50-decisions)\/[^/]*ADR[^/]*\.md$/i;

export const specDriveLayout: LayoutReader = {
  layout: "spec-drive",
  folders: [".spec-drive", "docs/50-decisions"],
  isThere: (paths) => paths.some((path) => path.startsWith(".spec-drive/")),
  selfIn: (paths) =>
    paths.some((path) => /^specs\/[A-Z][A-Z0-9]*-\d{3,6}\.ya?ml$/.test(path)) ? ".spec-drive" : undefined,
  isOwn: (path) => path.startsWith(".spec-drive/") || SPEC_DRIVE_ADR.test(path),
  read(files) {
    const sorting = new LayoutSorter(files);
    for (const { path } of sorting.matching(/(?:^|\/)[^/]*TEMPLATE[^/]*$/)) sorting.leave(path, "it is a template");
    for (const { path } of sorting.matching(/^\.spec-drive\/(?:.*\/)?(?:SPECS-INDEX|index|state|config)\.ya?ml$/))
      sorting.leave(path, "it is state or settings of another tool; commands in it are not taken over");
    for (const folder of ["schemas", "logs", "templates", "scripts", "profiles"])
      sorting.leaveFolder(`.spec-drive/${folder}`, "it belongs to the tool, not to the project");
    for (const { path, text, match } of sorting.matching(SPEC_DRIVE_SPEC)) {
      const id = match[1] ?? "";
      if (isWorkflowId(id)) sorting.take({ kind: "spec-file", from: path, id, text });
      else sorting.take({ kind: "document", from: path, text, why: "its name is not the id of a spec" });
    }
    for (const { path, text } of sorting.matching(SPEC_DRIVE_ADR)) sorting.take(parseForeignAdr(path, text));
    return sorting.found("it has no place of its own here");
  },
};
