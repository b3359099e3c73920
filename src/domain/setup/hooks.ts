export interface HookEvent {
  readonly name: string;
  readonly event: string;
  readonly matcher?: string;
  /** Whether it has no timeout of its own: all hooks at the end share the little time that the client gives. */
  readonly isAtEnd?: boolean;
}

export interface Hooks {
  /**
   * `groups`: lists of matchers with hooks, as in Claude Code. `flat`: lists of hooks. `own-file`: a separate file of
   * hooks. `plugin`: a program that the client loads.
   */
  readonly shape: "groups" | "flat" | "own-file" | "plugin";
  readonly events: readonly HookEvent[];
  /** Argument of `tenon hook` for clients with their own answer format. */
  readonly dialect?: string;
  /** Further fields of each hook. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** Further fields of the file. */
  readonly head?: Readonly<Record<string, unknown>>;
}

const EDITS = "Edit|MultiEdit|Write|NotebookEdit";

/** Seconds. A slower hook must not block the user. */
const LONGEST = 5;

/** Every event that `tenon hook` answers. The plugin has the same hooks. */
export const HOOKS_OF_CLAUDE: Hooks = {
  shape: "groups",
  more: { timeout: LONGEST },
  events: [
    { name: "SessionStart", event: "session-start" },
    { name: "PreToolUse", event: "pre-tool-use", matcher: `Bash|${EDITS}` },
    { name: "PostToolUse", event: "post-tool-use", matcher: EDITS },
    { name: "UserPromptSubmit", event: "user-prompt-submit" },
    { name: "Stop", event: "stop" },
    { name: "SubagentStop", event: "subagent-stop" },
    { name: "SessionEnd", event: "session-end", isAtEnd: true },
  ],
};

export const HOOKS_OF_CODEX: Hooks = {
  shape: "groups",
  more: { timeout: 5 },
  events: [
    { name: "SessionStart", event: "session-start" },
    { name: "PreToolUse", event: "pre-tool-use", matcher: "Bash|apply_patch|Edit|Write" },
    { name: "PostToolUse", event: "post-tool-use", matcher: "apply_patch|Edit|Write" },
    { name: "UserPromptSubmit", event: "user-prompt-submit" },
    { name: "Stop", event: "stop" },
  ],
};

export const HOOKS_OF_GEMINI: Hooks = {
  shape: "groups",
  dialect: "gemini",
  more: { timeout: 5000 },
  events: [
    { name: "SessionStart", event: "session-start" },
    { name: "BeforeTool", event: "pre-tool-use", matcher: "write_file|replace|run_shell_command" },
    { name: "AfterTool", event: "post-tool-use", matcher: "write_file|replace" },
    { name: "BeforeAgent", event: "user-prompt-submit" },
    { name: "AfterAgent", event: "stop" },
    { name: "SessionEnd", event: "session-end" },
  ],
};

export const HOOKS_OF_CURSOR: Hooks = {
  shape: "flat",
  dialect: "cursor",
  head: { version: 1 },
  more: { timeout: 5 },
  events: [
    { name: "sessionStart", event: "session-start" },
    { name: "preToolUse", event: "pre-tool-use", matcher: "Shell|Write|Delete" },
    { name: "afterFileEdit", event: "post-tool-use" },
    { name: "beforeSubmitPrompt", event: "user-prompt-submit" },
    { name: "stop", event: "stop" },
    { name: "sessionEnd", event: "session-end" },
  ],
};

/** Copilot uses these names in the terminal and in VS Code, and sends the same payload from both. */
export const HOOKS_OF_COPILOT: Hooks = {
  shape: "own-file",
  dialect: "copilot",
  head: { version: 1 },
  more: { timeoutSec: 5 },
  events: [
    { name: "SessionStart", event: "session-start" },
    { name: "PreToolUse", event: "pre-tool-use" },
    { name: "PostToolUse", event: "post-tool-use" },
    { name: "UserPromptSubmit", event: "user-prompt-submit" },
    { name: "Stop", event: "stop" },
    { name: "SessionEnd", event: "session-end" },
  ],
};

export const HOOKS_OF_WINDSURF: Hooks = {
  shape: "flat",
  dialect: "windsurf",
  events: [
    { name: "pre_write_code", event: "pre-tool-use" },
    { name: "pre_run_command", event: "pre-tool-use" },
    { name: "post_write_code", event: "post-tool-use" },
    { name: "pre_user_prompt", event: "user-prompt-submit" },
  ],
};

const commandOf = ({ event }: HookEvent, { dialect }: Hooks): string =>
  ["tenon hook", event, ...(dialect === undefined ? [] : [dialect])].join(" ");

/** The text that identifies our hooks among others. */
export const markOf = ({ event }: HookEvent): string => `tenon hook ${event}`;

export const isMark = (mark: string): boolean => /^tenon hook [a-z-]+$/.test(mark);

export const moreOf = ({ isAtEnd = false }: HookEvent, { more }: Hooks): Hooks["more"] => (isAtEnd ? {} : more);

export const matcherOf = ({ matcher }: HookEvent): Pick<HookEvent, "matcher"> =>
  matcher === undefined ? {} : { matcher };

export function hookEntry(event: HookEvent, hooks: Hooks): unknown {
  const command = commandOf(event, hooks);
  const [matcher, more] = [matcherOf(event), moreOf(event, hooks)];
  if (hooks.shape === "groups") return { ...matcher, hooks: [{ type: "command", command, ...more }] };
  if (hooks.shape === "flat") return { command, ...matcher, ...more };
  // Copilot treats a missing program as a rejection, and not everyone who clones a repository has Tenon.
  return { type: "command", bash: `${command} || true`, powershell: `${command}; exit 0`, ...more };
}

export function hookFile(hooks: Hooks): string {
  const events = Object.fromEntries(hooks.events.map((event) => [event.name, [hookEntry(event, hooks)]]));
  return `${JSON.stringify({ ...hooks.head, hooks: events }, undefined, 2)}\n`;
}
