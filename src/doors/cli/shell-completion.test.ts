import fs from "node:fs";
import { expect, test } from "vitest";
import { beginChange } from "#planning/model/change/change-lifecycle.ts";
import { Fault } from "#kernel/model/fault.ts";
import {
  getChangeRecordPath,
  CHANGES_FOLDER,
  FEATURE_FOLDER,
  REQUIREMENTS_PATH,
  type WorkspacePath,
} from "#kernel/model/workspace-paths.ts";
import type { Engine } from "../engine.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { ToolSurface } from "../catalogue.ts";
import { completeCommandLine } from "./shell-completion.ts";
import type { CliHost } from "./run-cli.ts";

const CHANGE_IDS = ["fix-login", "fix-logout", "rename-store"];
const records = new Map<WorkspacePath, unknown>(
  CHANGE_IDS.map((id) => {
    const record = beginChange(
      { type: "fix", size: "small", description: id },
      [],
      () => false,
      "2026-01-31T12:00:00Z",
    );
    return [getChangeRecordPath(CHANGES_FOLDER, record.id), record];
  }),
);
const WORKFLOWS = [
  { id: "AUTH-001", status: "active" },
  { id: "AUTH-002", status: "completed" },
  { id: "BUG-001", status: "active" },
];
const FEATURES = ["cart", "checkout"];
const tree = {
  names: (folder: WorkspacePath) =>
    folder === CHANGES_FOLDER ? CHANGE_IDS : folder === FEATURE_FOLDER ? FEATURES : [],
  record: (path: WorkspacePath) => records.get(path),
  text: (path: WorkspacePath) =>
    path === REQUIREMENTS_PATH ? "- **FR-001**: Log in\n- **FR-002**: Log out\n- **NFR-001**: Fast\n" : undefined,
  kept: () => new Map(WORKFLOWS.map((workflow) => [workflow.id, workflow])),
} as unknown as StoreTree;

/** The surface as it ships, and a workspace with three changes, at `/shop` or where one stands. */
const HOUSE = {
  surface: {
    of: async (id: string) =>
      JSON.parse(
        fs.readFileSync(new URL(`../../../assets/surface/${id}.json`, import.meta.url), "utf8"),
      ) as ToolSurface,
  },
  open: async ({ argument }: { argument?: string }) => {
    if (argument !== undefined && argument !== "/shop") {
      throw new Fault("workspace.missing", { what: "No.", why: "None.", fix: "Make one." });
    }
    return { store: { read: async <T>(look: (seen: StoreTree) => T) => look(tree) } } as unknown as Engine;
  },
} as unknown as CliHost;

const COMMON = ["--help", "--input", "--json", "--workspace"];

test.each<[string, string[]]>([
  [
    "",
    [
      "adopt",
      "adr",
      "approve",
      "brief",
      "bugfix",
      "change",
      "ci",
      "completion",
      "conflicts",
      "context",
      "decide",
      "demo",
      "design",
      "doctor",
      "documents",
      "drift",
      "evidence",
      "explore",
      "export",
      "feature",
      "feed",
      "gate",
      "handover",
      "help",
      "hook",
      "impact",
      "impl",
      "import",
      "index",
      "init",
      "knowledge",
      "lock",
      "mcp",
      "memory",
      "mutation-check",
      "next",
      "project",
      "query",
      "queue",
      "quick",
      "release",
      "release-notes",
      "report",
      "research",
      "review",
      "roadmap",
      "run",
      "setup",
      "spec",
      "stack",
      "stats",
      "status",
      "steering",
      "summarize",
      "team",
      "trace",
      "trust",
      "ui",
      "validate",
      "verify",
      "version",
      "work",
      "worker",
      "workflow",
    ],
  ],
  ["c", ["change", "ci", "completion", "conflicts", "context"]],
  ["x", []],
  ["change ", ["abandon", "advance", "archive", "list", "reopen", "resize", "review", "start", "status"]],
  ["change a", ["abandon", "advance", "archive"]],
  ["change x", []],
  ["adopt s", ["scan"]],
  ["ci example ", [...COMMON, "--for", "github", "pre-commit", "pre-receive"].toSorted()],
  ["change x y", []],
  ["queue ", ["add", "list", "prioritize", "remove"]],
  ["queue a", ["add"]],
  ["hook s", ["session-end", "session-start", "stop", "subagent-stop"]],
  ["completion ", ["bash", "fish", "zsh"]],
  ["mcp ", ["--help", "--structured", "--toolsets", "--workspace"]],
  ["version ", []],
  ["help ", []],
  ["status ", [...COMMON, "--feature", "--impact", "--team", ...FEATURES].toSorted()],
  ["status --j", ["--json"]],
  ["status --json --", ["--feature", "--help", "--impact", "--input", "--team", "--workspace"]],
  ["status ca", ["cart"]],
  ["design c", FEATURES],
  ["impl ch", ["checkout"]],
  ["review d", ["dead-code", "design"]],
  ["review w", ["waive"]],
  ["review design ca", ["cart"]],
  ["review waive c", FEATURES],
  ["roadmap r", ["revise", "run"]],
  ["roadmap revise c", FEATURES],
  ["roadmap unblock --how ", ["abort", "fix", "skip"]],
  ["setup c", ["claude", "codex", "copilot", "cursor"]],
  ["setup codex c", ["claude", "copilot", "cursor"]],
  ["setup codex cursor --r", ["--remove"]],
  ["change list ", [...COMMON, "--limit", "--status"].toSorted()],
  ["change list --status ", ["abandoned", "active", "archived", "completed"]],
  ["change list --status a", ["abandoned", "active", "archived"]],
  ["change list --status=active ", [...COMMON, "--limit"].toSorted()],
  ["change list --limit ", []],
  ["change status ", [...COMMON, "--change-id", ...CHANGE_IDS].toSorted()],
  ["change status fix", ["fix-login", "fix-logout"]],
  ["change status fix-login ", [...COMMON, "--change-id"].toSorted()],
  ["change status --change-id ", CHANGE_IDS],
  ["change status --change-id fix-login ", COMMON],
  ["change status --workspace ", []],
  ["change status --workspace /shop fix", ["fix-login", "fix-logout"]],
  ["change status --workspace=/shop fix", ["fix-login", "fix-logout"]],
  ["change status --workspace /nowhere fix", []],
  ["change abandon --reason Because fix", ["fix-login", "fix-logout"]],
  ["change abandon --json fix", ["fix-login", "fix-logout"]],
  ["change advance --file ", []],
  [
    "change advance --keep --",
    "--change-id --content --file --help --input --json --no-code --stage --tests-removed --title --workspace".split(
      " ",
    ),
  ],
  ["feature --files a --fi", ["--files"]],
  ["workflow switch A", ["AUTH-001"]],
  ["workflow prioritize --id ", ["AUTH-001", "BUG-001"]],
  ["lock list --id B", ["BUG-001"]],
  ["conflicts AUTH-001 B", ["BUG-001"]],
  ["feature --id A", []],
  [
    "verify ",
    [...COMMON, "--annotations", "--id", "--junit", "--run", "--strict", "--trust", "AUTH-001", "BUG-001"].toSorted(),
  ],
  ["verify --junit ", []],
  ["change start Describe --type ", ["enhancement", "feature", "fix", "refactor"]],
  [
    "adr status ADR-0001 ",
    ["accepted", "deprecated", "proposed", "superseded"]
      .concat(["--adr", "--reason", "--status", "--superseded-by"], COMMON)
      .toSorted(),
  ],
  ["adr status --reason Gone ADR-0001 s", ["superseded"]],
  ["adr status --adr ADR-0001 s", ["superseded"]],
])("tenon %s⇥", async (line, words) => {
  expect(await completeCommandLine(line.split(" "), HOUSE)).toEqual(words);
});

test("offers the commands without any words", async () => {
  expect(await completeCommandLine([], HOUSE)).toEqual(await completeCommandLine([""], HOUSE));
});

test("offers nothing in a broken workspace", async () => {
  const house: CliHost = { ...HOUSE, open: () => Promise.reject(new TypeError("broken")) };
  expect(await completeCommandLine(["change", "status", "fix"], house)).toEqual([]);
});

test.each([
  ["trace", ["FR-001", "FR-002"]],
  ["drift", ["FR-001", "FR-002"]],
  ["impact", ["FR-001", "FR-002"]],
])("tenon %s completes the ids of requirements", async (command, ids) => {
  expect(await completeCommandLine([command, "FR-"], HOUSE)).toEqual(ids);
});

test("tenon trace completes the specs of workflows, finished ones too", async () => {
  expect(await completeCommandLine(["trace", "AUTH"], HOUSE)).toEqual(["AUTH-001", "AUTH-002"]);
  expect(await completeCommandLine(["spec", "validate", "BUG"], HOUSE)).toEqual(["BUG-001"]);
});
