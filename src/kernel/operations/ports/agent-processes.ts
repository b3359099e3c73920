export interface AgentStartRequest {
  readonly argv: readonly string[];
  readonly folder: string;
  readonly input: string;
  /** Names the action in the environment of the agent and of all its children. */
  readonly tag: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Receives what the agent prints. `.err` and `.code` are appended for errors and the exit code. */
  readonly output: string;
  /** The program uses the Agent Client Protocol. Its actions are printed as events. */
  readonly acp?: { readonly session?: string; readonly model?: string };
}

export interface AgentWatchRequest {
  readonly tag: string;
  readonly output: string;
  readonly silence_s: number;
  readonly timeout_s: number;
  /** Called with each complete line of the output, from its beginning. */
  readonly line: (text: string) => void;
  readonly cancelled: AbortSignal;
}

/** `vanished`: no process of the agent is left, and none wrote an exit code. */
export interface AgentEnding {
  readonly how: "exited" | "silent" | "timed-out" | "vanished" | "cancelled" | "too-much-output";
  readonly code?: number;
  /** The last lines of its errors. */
  readonly errors: string;
}

/** Agents write into files and run on if Tenon is killed. A tag finds all processes of an agent in any session. */
export interface AgentProcesses {
  /** The reason if the program cannot be started. */
  start(request: AgentStartRequest): Promise<{ readonly why: string } | undefined>;
  /** Follows the output until the agent ends or a limit is reached, then ends all its processes. */
  watch(request: AgentWatchRequest): Promise<AgentEnding>;
  /** Ends every process with the tag. */
  end(tag: string): Promise<void>;
  /** Replaces the files of an ended agent by one transcript: its end, of at most `most` bytes, as `change` leaves it. */
  keep(output: string, most: number, change: (text: string) => Promise<string>): Promise<void>;
  /** The end of a transcript, or of the output of an agent at work. Undefined if there is none. */
  read(output: string, most: number): Promise<string | undefined>;
  /** The newest transcript of this name in any run below the folder. */
  findTranscript(folder: string, name: string): Promise<string | undefined>;
  /** Appends a line, unless the file has grown too long. */
  note(file: string, line: string): void;
  /** Calls with each complete line that the file has or gets, until the signal. */
  follow(file: string, line: (text: string) => void, until: AbortSignal): Promise<void>;
  /** Runs a short command of an agent's program, such as `--version`. */
  ask(argv: readonly string[], folder?: string): Promise<{ readonly code: number | null; readonly out: string }>;
}
