export interface ClientHookEvent {
  readonly name: string;
  readonly event: string;
  readonly matcher?: string;
  /** Whether it has no timeout of its own: all hooks at the end share the little time that the client gives. */
  readonly isAtEnd?: boolean;
}

export interface ClientHooks {
  /**
   * `groups`: lists of matchers with hooks, as in Claude Code. `flat`: lists of hooks. `own-file`: a separate file of
   * hooks. `plugin`: a program that the client loads.
   */
  readonly shape: "groups" | "flat" | "own-file" | "plugin";
  readonly events: readonly ClientHookEvent[];
  /** Argument of `tenon hook` for clients with their own answer format. */
  readonly dialect?: string;
  /** Further fields of each hook. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** Further fields of the file. */
  readonly head?: Readonly<Record<string, unknown>>;
}

const EDIT_TOOL_MATCHER = "Edit|MultiEdit|Write|NotebookEdit";

/** Seconds. A slower hook must not block the user. */
const HOOK_TIMEOUT_SECONDS = 5;

/** Every event that `tenon hook` answers. The plugin has the same hooks. */
export const CLAUDE_HOOKS: ClientHooks = {
  shape: "groups",
  more: { timeout: HOOK_TIMEOUT_SECONDS },
  events: [
    { name: "SessionStart", event: "session-start" },
    { name: "PreToolUse", event: "pre-tool-use", matcher: `Bash|${EDIT_TOOL_MATCHER}` },
    { name: "PostToolUse", event: "post-tool-use", matcher: EDIT_TOOL_MATCHER },
    { name: "UserPromptSubmit", event: "user-prompt-submit" },
    { name: "Stop", event: "stop" },
    { name: "SubagentStop", event: "subagent-stop" },
    { name: "SessionEnd", event: "session-end", isAtEnd: true },
  ],
};

export const CODEX_HOOKS: ClientHooks = {
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

export const GEMINI_HOOKS: ClientHooks = {
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

export const CURSOR_HOOKS: ClientHooks = {
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
export const COPILOT_HOOKS: ClientHooks = {
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

export const WINDSURF_HOOKS: ClientHooks = {
  shape: "flat",
  dialect: "windsurf",
  events: [
    { name: "pre_write_code", event: "pre-tool-use" },
    { name: "pre_run_command", event: "pre-tool-use" },
    { name: "post_write_code", event: "post-tool-use" },
    { name: "pre_user_prompt", event: "user-prompt-submit" },
  ],
};

const formatHookCommand = ({ event }: ClientHookEvent, { dialect }: ClientHooks): string =>
  ["tenon hook", event, ...(dialect === undefined ? [] : [dialect])].join(" ");

/** The text that identifies our hooks among others. */
export const formatHookMark = ({ event }: ClientHookEvent): string => `tenon hook ${event}`;

export const isHookMark = (mark: string): boolean => /^tenon hook [a-z-]+$/.test(mark);

const getHookFields = ({ isAtEnd = false }: ClientHookEvent, { more }: ClientHooks): ClientHooks["more"] =>
  isAtEnd ? {} : more;

const getHookMatcher = ({ matcher }: ClientHookEvent): Pick<ClientHookEvent, "matcher"> =>
  matcher === undefined ? {} : { matcher };

export function createHookEntry(event: ClientHookEvent, hooks: ClientHooks): unknown {
  const command = formatHookCommand(event, hooks);
  const [matcher, more] = [getHookMatcher(event), getHookFields(event, hooks)];
  if (hooks.shape === "groups") return { ...matcher, hooks: [{ type: "command", command, ...more }] };
  if (hooks.shape === "flat") return { command, ...matcher, ...more };
  // Copilot treats a missing program as a rejection, and not everyone who clones a repository has Tenon.
  return { type: "command", bash: `${command} || true`, powershell: `${command}; exit 0`, ...more };
}

export function formatHookFile(hooks: ClientHooks): string {
  const events = Object.fromEntries(hooks.events.map((event) => [event.name, [createHookEntry(event, hooks)]]));
  return `${JSON.stringify({ ...hooks.head, hooks: events }, undefined, 2)}\n`;
}

/** The hooks of the plugin: a program with arguments, without a shell. */
export const PLUGIN_HOOKS: Readonly<Record<string, readonly unknown[]>> = Object.fromEntries(
  CLAUDE_HOOKS.events.map((event) => {
    const hook = {
      type: "command",
      command: "tenon",
      args: ["hook", event.event],
      ...getHookFields(event, CLAUDE_HOOKS),
    };
    return [event.name, [{ ...getHookMatcher(event), hooks: [hook] }]];
  }),
);
