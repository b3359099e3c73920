import { expect, test } from "vitest";
import { parseChangeId } from "../change/id.ts";
import { parseWorkflowId } from "../workflow/id.ts";
import * as path from "./path.ts";

const id = parseChangeId("fix-login");

test.each([
  [path.CONFIG, "sdd/config.yaml"],
  [path.GITIGNORE, ".gitignore"],
  [path.GITATTRIBUTES, ".gitattributes"],
  [path.REQUIREMENTS, "sdd/requirements.md"],
  [path.BUSINESS_RULES, "sdd/business-rules.md"],
  [path.DESIGN, "sdd/design.md"],
  [path.MACHINE_FOLDER, ".sdd"],
  [path.EXPORT, ".sdd/state.yaml"],
  [path.ADRS, "sdd/adrs"],
  [path.changeFolder(path.CHANGES, id), "sdd/changes/fix-login"],
  [path.changeFolder(path.HISTORY, id), "sdd/history/fix-login"],
  [path.changeRecord(path.CHANGES, id), "sdd/changes/fix-login/change.json"],
  [path.changeArtifact(path.HISTORY, id, "context-check"), "sdd/history/fix-login/context-check.md"],
  [path.changeAdrs(path.CHANGES, id), "sdd/changes/fix-login/adrs"],
  [path.supersededFolder(id), "sdd/changes/fix-login/superseded"],
  [path.supersededArtifact(id, "spec", 2), "sdd/changes/fix-login/superseded/spec-2.md"],
  [path.receiptFile(parseWorkflowId("AUTH-001")), "sdd/receipts/AUTH-001.jsonl"],
  [path.inFolder(path.ADRS, "ADR-0001-a.md"), "sdd/adrs/ADR-0001-a.md"],
])("%s is where the design puts it", (made, place) => {
  expect(made).toBe(place);
});
