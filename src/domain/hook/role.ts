import { AGENTS } from "../agent/agents.ts";
import type { AgentRole } from "../agent/role.ts";
import type { WriteScope } from "../agent/roles.ts";
import { isTestData, isTestPath } from "../scan/test-path.ts";
import { canGlobsOverlap } from "../workflow/glob.ts";
import type { HookRefusal } from "./own-files.ts";
import { describeShellWrite } from "./shell-writes.ts";

/** Requires the plugin prefix: a `builder` of a different plugin is not our agent. */
const OWN_AGENT_PATTERN = /^sdd[:-]([a-z-]+)$/;

export function parseAgentRole(agent: string | undefined): AgentRole | undefined {
  const [, name = ""] = OWN_AGENT_PATTERN.exec(agent ?? "") ?? [];
  return Object.hasOwn(AGENTS, name) ? (name as AgentRole) : undefined;
}

interface RoleWriteLimit {
  isAllowed(path: string): boolean;
  readonly does: string;
  readonly why: string;
  readonly instead: string;
}

const createGlobMatcher =
  (...globs: readonly string[]) =>
  (path: string): boolean =>
    globs.some((glob) => canGlobsOverlap(glob, path));
const isOutsideSddFolder = (path: string): boolean => !/^sdd(?:\/|$)/i.test(path);
const isTestOrTestData = (path: string): boolean => isTestPath(path) || isTestData(path);

const AGREED_DOCUMENTS_REASON = "Specs, designs and tasks were agreed to before, and others build from them too.";
const REPORT_ADVICE = "Say in your report what is wrong with it, and go on with what does not depend on it.";

const ROLE_WRITE_LIMITS: Readonly<Record<WriteScope, RoleWriteLimit>> = {
  spec: {
    isAllowed: createGlobMatcher("sdd/specs/*.yaml"),
    does: "writes specs in sdd/specs, and nothing else",
    why: "Tests and code are written by others, once the user has agreed to the spec.",
    instead: "Say it in the spec.",
  },
  tests: {
    isAllowed: isOutsideSddFolder,
    does: "writes tests, and nothing under sdd/",
    why: AGREED_DOCUMENTS_REASON,
    instead: REPORT_ADVICE,
  },
  implementation: {
    isAllowed: (path) => isOutsideSddFolder(path) && !isTestOrTestData(path),
    does: "writes code, no tests, and nothing under sdd/",
    why: "Whoever makes tests pass must not bend them, nor what was agreed to.",
    instead: "Make the code pass. If a test is wrong, report which and why: the test-agent mends it.",
  },
  design: {
    isAllowed: createGlobMatcher("sdd/features/*/design.md", "sdd/features/*/research.md"),
    does: "writes design.md and research.md of features, and nothing else",
    why: "What is designed is reviewed before anybody builds it.",
    instead: "Say it in the design: others build it from there.",
  },
  tasks: {
    isAllowed: createGlobMatcher("sdd/features/*/tasks.yaml"),
    does: "writes tasks.yaml of features, and nothing else",
    why: "It plans what others build from a design that was reviewed.",
    instead: "Say it in a task, or in your report.",
  },
  code: {
    isAllowed: isOutsideSddFolder,
    does: "writes code and tests, and nothing under sdd/",
    why: AGREED_DOCUMENTS_REASON,
    instead: REPORT_ADVICE,
  },
};

const READ_ONLY_ROLE: Omit<RoleWriteLimit, "isAllowed"> = {
  does: "only looks",
  why: "What it looks at must stay as it is until it is judged: a change would void the review.",
  instead: "Report what you found; the engine asks somebody to mend it.",
};

const LEAD_ROLE: Omit<RoleWriteLimit, "isAllowed"> = {
  does: "hands work out",
  why: "Designs, tasks and code are made by those who are asked for them, and judged by others.",
  instead: "Call sdd_next and start the agent that it names.",
};

export function refuseRoleEdit(role: AgentRole, path: string): HookRefusal | undefined {
  const limit = getRoleWriteLimit(role);
  if (limit.isAllowed(path)) return undefined;
  return {
    what: `${path} is not edited: the ${role} ${limit.does}.`,
    why: limit.why,
    instead: limit.instead,
  };
}

function getRoleWriteLimit(role: AgentRole): RoleWriteLimit {
  const { writes } = AGENTS[role];
  if (writes !== null) return ROLE_WRITE_LIMITS[writes];
  return { isAllowed: () => false, ...(role === "lead" ? LEAD_ROLE : READ_ONLY_ROLE) };
}

/** Read-only roles may not run obvious write commands. The Lead may commit. */
export function refuseRoleCommand(
  role: AgentRole,
  input: Readonly<Record<string, unknown>>,
  root?: string,
): HookRefusal | undefined {
  if (AGENTS[role].writes !== null || role === "lead") return undefined;
  const found = describeShellWrite(input, root);
  return found === undefined
    ? undefined
    : {
        what: `This was not run: the ${role} only looks, and ${found}.`,
        why: READ_ONLY_ROLE.why,
        instead: READ_ONLY_ROLE.instead,
      };
}
