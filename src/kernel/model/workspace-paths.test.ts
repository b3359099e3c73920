import { expect, test } from "vitest";
import { parseChangeId } from "./stages/change-stages.ts";
import { parseFeatureName } from "./ids/feature-name.ts";
import { parseWorkflowId } from "./workflow-id.ts";
import * as path from "./workspace-paths.ts";

const id = parseChangeId("fix-login");
const login = parseFeatureName("user-login");

test.each([
  [path.CONFIG_PATH, "sdd/config.yaml"],
  [path.GITIGNORE_PATH, ".gitignore"],
  [path.GITATTRIBUTES_PATH, ".gitattributes"],
  [path.REQUIREMENTS_PATH, "sdd/requirements.md"],
  [path.BUSINESS_RULES_PATH, "sdd/business-rules.md"],
  [path.DESIGN_PATH, "sdd/design.md"],
  [path.MACHINE_FOLDER, ".sdd"],
  [path.STATE_EXPORT_PATH, ".sdd/state.yaml"],
  [path.ADR_FOLDER, "sdd/adrs"],
  [path.getChangeFolder(path.CHANGES_FOLDER, id), "sdd/changes/fix-login"],
  [path.getChangeFolder(path.HISTORY_FOLDER, id), "sdd/history/fix-login"],
  [path.getChangeRecordPath(path.CHANGES_FOLDER, id), "sdd/changes/fix-login/change.json"],
  [path.getChangeArtifactPath(path.HISTORY_FOLDER, id, "context-check"), "sdd/history/fix-login/context-check.md"],
  [path.getChangeAdrFolder(path.CHANGES_FOLDER, id), "sdd/changes/fix-login/adrs"],
  [path.getSupersededFolder(id), "sdd/changes/fix-login/superseded"],
  [path.getSupersededArtifactPath(id, "spec", 2), "sdd/changes/fix-login/superseded/spec-2.md"],
  [path.getReceiptPath(parseWorkflowId("AUTH-001")), "sdd/receipts/AUTH-001.jsonl"],
  [path.getApprovalLogPath("fix-login"), "sdd/approvals/fix-login.json"],
  [path.getFeatureFolder(login), "sdd/features/user-login"],
  [path.getFeatureRecordPath(login), "sdd/features/user-login/spec.yaml"],
  [path.getFeatureDesignPath(login), "sdd/features/user-login/design.md"],
  [path.getFeatureResearchPath(login), "sdd/features/user-login/research.md"],
  [path.getFeatureTasksPath(login), "sdd/features/user-login/tasks.yaml"],
  [path.getFeatureReviewsFolder(login), "sdd/features/user-login/reviews"],
  [path.getFeatureReviewPath(login, "B3"), "sdd/features/user-login/reviews/B3.yaml"],
  [path.getReviewPath("B3"), "sdd/reviews/B3.yaml"],
  [path.getWaveRecordPath(2), "sdd/waves/2.yaml"],
  [path.ROADMAP_PATH, "sdd/roadmap.md"],
  [path.getSteeringFilePath("tech.md"), "sdd/steering/tech.md"],
  [path.DECISIONS_PATH, "sdd/handover/decisions.md"],
  [path.joinFolderPath(path.ADR_FOLDER, "ADR-0001-a.md"), "sdd/adrs/ADR-0001-a.md"],
])("puts %s where the design says", (made, place) => {
  expect(made).toBe(place);
});
