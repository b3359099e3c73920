/** What Claude Code runs at an event: a program and its arguments, without a shell. */
interface ClientHook {
  readonly type: "command";
  readonly command: string;
  readonly args: readonly string[];
  /** Seconds. */
  readonly timeout?: number;
}

interface MatchedHooks {
  /** Tools that it is run for; all of them where it is not said. */
  readonly matcher?: string;
  readonly hooks: readonly ClientHook[];
}

const EDITS = "Edit|MultiEdit|Write|NotebookEdit";
/** Seconds. It usually takes a twentieth; whatever is slower must not be in the way. */
const LONGEST = 5;

const run = (event: string, timeout?: number): ClientHook => ({
  type: "command",
  command: "tenon",
  args: ["hook", event],
  ...(timeout === undefined ? {} : { timeout }),
});

/** Every event that `tenon hook` answers, as a client's settings name them. */
export const HOOKS: Readonly<Record<string, readonly MatchedHooks[]>> = {
  SessionStart: [{ hooks: [run("session-start", LONGEST)] }],
  UserPromptSubmit: [{ hooks: [run("user-prompt-submit", LONGEST)] }],
  PreToolUse: [{ matcher: `Bash|${EDITS}`, hooks: [run("pre-tool-use", LONGEST)] }],
  PostToolUse: [{ matcher: EDITS, hooks: [run("post-tool-use", LONGEST)] }],
  Stop: [{ hooks: [run("stop", LONGEST)] }],
  SubagentStop: [{ hooks: [run("subagent-stop", LONGEST)] }],
  // All that run at the end share what little time the client gives.
  SessionEnd: [{ hooks: [run("session-end")] }],
};
