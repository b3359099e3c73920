import { expect, test } from "vitest";
import { parseChangeId } from "../change/id.ts";
import { parseFeatureName } from "../feature/name.ts";
import { parseWorkflowId } from "../workflow/id.ts";
import * as path from "./path.ts";

const id = parseChangeId("fix-login");
const login = parseFeatureName("user-login");

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
  [path.featureFolder(login), "sdd/features/user-login"],
  [path.featureRecord(login), "sdd/features/user-login/spec.yaml"],
  [path.featureDesign(login), "sdd/features/user-login/design.md"],
  [path.featureResearch(login), "sdd/features/user-login/research.md"],
  [path.featureTasks(login), "sdd/features/user-login/tasks.yaml"],
  [path.featureReviews(login), "sdd/features/user-login/reviews"],
  [path.featureReview(login, "B3"), "sdd/features/user-login/reviews/B3.yaml"],
  [path.reviewFile("B3"), "sdd/reviews/B3.yaml"],
  [path.waveRecord(2), "sdd/waves/2.yaml"],
  [path.ROADMAP, "sdd/roadmap.md"],
  [path.steeringFile("tech.md"), "sdd/steering/tech.md"],
  [path.DECISIONS, "sdd/handover/decisions.md"],
  [path.inFolder(path.ADRS, "ADR-0001-a.md"), "sdd/adrs/ADR-0001-a.md"],
])("%s is where the design puts it", (made, place) => {
  expect(made).toBe(place);
});
