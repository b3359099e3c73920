import { CHANGE_STAGES, type ChangeStage } from "./stages/change-stages.ts";
import { Fault } from "./fault.ts";
import { quote } from "./text-format.ts";
import { CONFIG_PATH } from "./workspace-paths.ts";

/** Checks that gates run and a workspace may waive. Defined here because every command reads the settings. */
export const COMMAND_CHECKS = [
  "tests",
  "lint",
  "types",
  "format",
  "build",
  "tags",
  "criteria",
  "shortcuts",
  "coverage",
  "tests-kept",
  "tests-seen-to-fail",
  "regression-seen-to-fail",
  "bite",
  "drift",
  "documentation",
] as const;
export type CommandCheck = (typeof COMMAND_CHECKS)[number];

export interface Config {
  readonly changes: {
    readonly headings: Readonly<Partial<Record<ChangeStage, readonly string[]>>>;
  };
  readonly memory: {
    readonly enabled: boolean;
    /** Name of the project in memory. Empty means the name of its remote or folder. */
    readonly project: string;
  };
  readonly gates: {
    readonly waived: Readonly<Partial<Record<string, string>>>;
    /** Percent of the changed lines that tests must cover. */
    readonly coverage: number;
    /** Retries every failure, not only failures that may pass on a second run. */
    readonly retry_all: boolean;
    /** Requires mutation checks: tests must fail when the code is wrong. */
    readonly bite: boolean;
  };
  readonly stack: {
    /** Stack profile of each folder. `.` is the workspace itself. Other folders are detected. */
    readonly directories: Readonly<Record<string, string>>;
    readonly primary: string;
  };
  readonly mcp: {
    readonly toolsets: readonly string[];
  };
  readonly sessions: {
    readonly after_compact: (typeof AFTER_COMPACT_MODES)[number];
  };
  readonly roadmap: {
    /** Minutes after which an assigned action without a report is offered again. */
    readonly lost_after_minutes: number;
    readonly language: string;
  };
}

const AFTER_COMPACT_MODES = ["wait", "continue"] as const;

export const DEFAULT_CONFIG: Config = {
  changes: { headings: {} },
  memory: { enabled: true, project: "" },
  gates: { waived: {}, coverage: 90, retry_all: false, bite: false },
  stack: { directories: {}, primary: "" },
  mcp: { toolsets: ["default"] },
  sessions: { after_compact: "wait" },
  roadmap: { lost_after_minutes: 120, language: "en" },
};

export function parseWorkspaceConfig(value: unknown): Config {
  if (value == null) return DEFAULT_CONFIG;
  const problems: string[] = [];
  const root = readConfigSection(
    value,
    "the file",
    ["version", "changes", "memory", "gates", "stack", "mcp", "sessions", "roadmap"],
    problems,
  );
  if (root["version"] !== undefined && root["version"] !== 1) problems.push("version must be 1");
  const changes = readConfigSection(root["changes"], "changes", ["headings"], problems);
  const headings = readConfigSection(changes["headings"], "changes.headings", CHANGE_STAGES, problems);
  const memory = readConfigSection(root["memory"], "memory", ["enabled", "project"], problems);
  const { enabled = DEFAULT_CONFIG.memory.enabled, project = DEFAULT_CONFIG.memory.project } = memory;
  if (typeof enabled !== "boolean") problems.push("memory.enabled must be true or false");
  if (typeof project !== "string" || project.length > 100) problems.push("memory.project must be a name");
  const mcp = readConfigSection(root["mcp"], "mcp", ["toolsets"], problems);
  const sessions = readConfigSection(root["sessions"], "sessions", ["after_compact"], problems);
  const after = AFTER_COMPACT_MODES.find((word) => word === (sessions["after_compact"] ?? "wait"));
  if (after === undefined || sessions["after_compact"] === null) {
    problems.push(`sessions.after_compact must be ${AFTER_COMPACT_MODES.join(" or ")}`);
  }
  const config: Config = {
    changes: {
      headings: Object.fromEntries(
        Object.entries(headings).map(([stage, names]) => [
          stage,
          readStringList(names, `changes.headings.${stage}`, problems),
        ]),
      ),
    },
    gates: parseGateSettings(root["gates"], problems),
    stack: parseStackSettings(root["stack"], problems),
    memory: { enabled: enabled !== false, project: typeof project === "string" ? project.trim() : "" },
    mcp: {
      toolsets:
        mcp["toolsets"] === undefined
          ? DEFAULT_CONFIG.mcp.toolsets
          : readStringList(mcp["toolsets"], "mcp.toolsets", problems),
    },
    sessions: { after_compact: after ?? "wait" },
    roadmap: parseRoadmapSettings(root["roadmap"], problems),
  };
  if (problems.length === 0) return config;
  throw new Fault("config.invalid", {
    what: `${CONFIG_PATH} cannot be used.`,
    why: `${problems.join("; ")}.`,
    fix: `Mend ${CONFIG_PATH}; Tenon's docs/guide/configuration.md lists every key.`,
  });
}

function parseGateSettings(value: unknown, problems: string[]): Config["gates"] {
  const { gates: usual } = DEFAULT_CONFIG;
  const gates = readConfigSection(value, "gates", Object.keys(usual), problems);
  const waived = readConfigSection(gates["waived"], "gates.waived", COMMAND_CHECKS, problems);
  for (const [check, reason] of Object.entries(waived)) {
    if (typeof reason !== "string" || !/\p{L}/u.test(reason) || /^<.*>$/.test(reason.trim()))
      problems.push(`gates.waived.${check} must be a reason`);
  }
  const { coverage = usual.coverage, retry_all = usual.retry_all, bite = usual.bite } = gates;
  const isPercent = typeof coverage === "number" && coverage >= 0 && coverage <= 100;
  if (!isPercent) problems.push("gates.coverage must be a number from 0 to 100");
  if (typeof retry_all !== "boolean") problems.push("gates.retry_all must be true or false");
  if (typeof bite !== "boolean") problems.push("gates.bite must be true or false");
  return {
    waived: waived as Record<string, string>,
    coverage: isPercent ? coverage : usual.coverage,
    retry_all: retry_all === true,
    bite: bite === true,
  };
}

function parseStackSettings(value: unknown, problems: string[]): Config["stack"] {
  const stack = readConfigSection(value, "stack", ["directories", "primary"], problems);
  const { directories = {}, primary = "" } = stack;
  const isTable = typeof directories === "object" && directories !== null && !Array.isArray(directories);
  const entries = isTable ? Object.entries(directories) : [];
  const isRead =
    isTable && entries.every(([folder, id]) => isWorkspaceFolder(folder) && typeof id === "string" && id !== "");
  if (!isRead) problems.push("stack.directories must name a profile for each folder, as { web: typescript-react }");
  if (typeof primary !== "string") problems.push("stack.primary must be the id of a profile");
  return {
    directories: isRead ? (directories as Record<string, string>) : {},
    primary: typeof primary === "string" ? primary : "",
  };
}

const MAX_LOST_AFTER_MINUTES = 1_440;

function parseRoadmapSettings(value: unknown, problems: string[]): Config["roadmap"] {
  const { roadmap: usual } = DEFAULT_CONFIG;
  const { lost_after_minutes: minutes = usual.lost_after_minutes, language = usual.language } = readConfigSection(
    value,
    "roadmap",
    Object.keys(usual),
    problems,
  );
  const isRead = Number.isInteger(minutes) && Number(minutes) >= 1 && Number(minutes) <= MAX_LOST_AFTER_MINUTES;
  if (!isRead) problems.push(`roadmap.lost_after_minutes must be a whole number from 1 to ${MAX_LOST_AFTER_MINUTES}`);
  const isLanguage = typeof language === "string" && LANGUAGE_TAG.test(language);
  if (!isLanguage) problems.push("roadmap.language must be the tag of a language, as en or pt-BR");
  return {
    lost_after_minutes: isRead ? Number(minutes) : usual.lost_after_minutes,
    language: isLanguage ? language : usual.language,
  };
}

const LANGUAGE_TAG = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,3}$/;

const isWorkspaceFolder = (folder: string): boolean =>
  folder === "." ||
  folder.split("/").every((part) => part !== "" && part !== "." && part !== ".." && !/[\\:]/.test(part));

function readConfigSection(
  value: unknown,
  name: string,
  keys: readonly string[],
  problems: string[],
): Record<string, unknown> {
  if (value == null) return {};
  if (typeof value !== "object" || Array.isArray(value)) {
    problems.push(`${name} must be a mapping`);
    return {};
  }
  const known: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (keys.includes(key)) known[key] = inner;
    else problems.push(`${quote(key, 40)} is not a key of ${name}, which has ${keys.join(", ")}`);
  }
  return known;
}

function readStringList(value: unknown, name: string, problems: string[]): string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === "string" && item.trim() !== "")) return value;
  problems.push(`${name} must be a list of words`);
  return [];
}
