import { AGENTS } from "../agent/agents.ts";
import type { AgentRole } from "../agent/role.ts";
import type { Writes } from "../agent/roles.ts";
import { isTestData, isTestPath } from "../scan/test-path.ts";
import { overlap } from "../workflow/glob.ts";
import type { Refusal } from "./own-files.ts";
import { writeIn } from "./shell-writes.ts";

/** Requires the plugin prefix: a `builder` of a different plugin is not our agent. */
const OURS = /^sdd[:-]([a-z-]+)$/;

export function roleOf(agent: string | undefined): AgentRole | undefined {
  const [, name = ""] = OURS.exec(agent ?? "") ?? [];
  return Object.hasOwn(AGENTS, name) ? (name as AgentRole) : undefined;
}

interface Limit {
  isAllowed(path: string): boolean;
  readonly does: string;
  readonly why: string;
  readonly instead: string;
}

const isOneOf =
  (...globs: readonly string[]) =>
  (path: string): boolean =>
    globs.some((glob) => overlap(glob, path));
const isOutside = (path: string): boolean => !/^sdd(?:\/|$)/i.test(path);
const isTests = (path: string): boolean => isTestPath(path) || isTestData(path);

const AGREED = "Specs, designs and tasks were agreed to before, and others build from them too.";
const REPORT = "Say in your report what is wrong with it, and go on with what does not depend on it.";

const LIMITS: Readonly<Record<Writes, Limit>> = {
  spec: {
    isAllowed: isOneOf("sdd/specs/*.yaml"),
    does: "writes specs in sdd/specs, and nothing else",
    why: "Tests and code are written by others, once the user has agreed to the spec.",
    instead: "Say it in the spec.",
  },
  tests: { isAllowed: isOutside, does: "writes tests, and nothing under sdd/", why: AGREED, instead: REPORT },
  implementation: {
    isAllowed: (path) => isOutside(path) && !isTests(path),
    does: "writes code, no tests, and nothing under sdd/",
    why: "Whoever makes tests pass must not bend them, nor what was agreed to.",
    instead: "Make the code pass. If a test is wrong, report which and why: the test-agent mends it.",
  },
  design: {
    isAllowed: isOneOf("sdd/features/*/design.md", "sdd/features/*/research.md"),
    does: "writes design.md and research.md of features, and nothing else",
    why: "What is designed is reviewed before anybody builds it.",
    instead: "Say it in the design: others build it from there.",
  },
  tasks: {
    isAllowed: isOneOf("sdd/features/*/tasks.yaml"),
    does: "writes tasks.yaml of features, and nothing else",
    why: "It plans what others build from a design that was reviewed.",
    instead: "Say it in a task, or in your report.",
  },
  code: {
    isAllowed: isOutside,
    does: "writes code and tests, and nothing under sdd/",
    why: AGREED,
    instead: REPORT,
  },
};

const LOOKS: Omit<Limit, "isAllowed"> = {
  does: "only looks",
  why: "What it looks at must stay as it is until it is judged: a change would void the review.",
  instead: "Report what you found; the engine asks somebody to mend it.",
};

const HANDS_OUT: Omit<Limit, "isAllowed"> = {
  does: "hands work out",
  why: "Designs, tasks and code are made by those who are asked for them, and judged by others.",
  instead: "Call sdd_next and start the agent that it names.",
};

export function refuseInRole(role: AgentRole, path: string): Refusal | undefined {
  const limit = limitOf(role);
  if (limit.isAllowed(path)) return undefined;
  return {
    what: `${path} is not edited: the ${role} ${limit.does}.`,
    why: limit.why,
    instead: limit.instead,
  };
}

function limitOf(role: AgentRole): Limit {
  const { writes } = AGENTS[role];
  if (writes !== null) return LIMITS[writes];
  return { isAllowed: () => false, ...(role === "lead" ? HANDS_OUT : LOOKS) };
}

/** Read-only roles may not run obvious write commands. The Lead may commit. */
export function refuseCommandInRole(
  role: AgentRole,
  input: Readonly<Record<string, unknown>>,
  root?: string,
): Refusal | undefined {
  if (AGENTS[role].writes !== null || role === "lead") return undefined;
  const found = writeIn(input, root);
  return found === undefined
    ? undefined
    : { what: `This was not run: the ${role} only looks, and ${found}.`, why: LOOKS.why, instead: LOOKS.instead };
}
