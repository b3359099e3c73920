import { type ChildProcess, spawn } from "node:child_process";
import { findProgram } from "./program-environment.ts";
import {
  type ContainedCommand,
  type ProcessContainment,
  waitForProcessEnd,
  hasProcessEnded,
  LONGEST_PROCESS_END_MS,
  type PreparedCommand,
  getCommandStreams,
  signalProcessChildren,
} from "./process-containment.ts";

interface NamespaceTools {
  readonly unshare: string;
  readonly nsenter: string;
  /** Moves the command out of the process group of its entrance, so that it cannot signal the entrance. */
  readonly setsid: string;
  /** Ends the namespace and its entrance when the engine ends, even if they are stopped. */
  readonly setpriv: string;
}

/** Flags of `unshare`. Users other than root need a user namespace; a private `/proc` hides the engine. */
type NamespaceFlags = readonly string[];

const ROOT_NAMESPACE_FLAGS: readonly NamespaceFlags[] = [["--pid", "--mount-proc"], ["--pid"]];
const USER_NAMESPACE_FLAGS: readonly NamespaceFlags[] = ROOT_NAMESPACE_FLAGS.map((form) => [
  "--user",
  "--map-current-user",
  ...form,
]);

const NAMESPACE_SHELL = "/bin/sh";
/**
 * The first process of a namespace reaps orphans. Its child reads lines from the engine: each line asks every process
 * of the namespace to end. When the input ends, because the engine is done or gone, the first process ends too. Killing
 * the child also ends the namespace. Outside a namespace `kill -1` reaches the whole machine, so the script first
 * checks that it is process 1.
 */
const NAMESPACE_INIT_SCRIPT = [
  '[ "$$" -eq 1 ] || exit 1',
  "exec 3<&0",
  "while read -r line; do kill -TERM -1; kill -CONT -1; done <&3 &",
  "echo",
  'wait "$!"',
].join("\n");
/** A process that enters a namespace starts at its root folder. */
const NAMESPACE_ENTRY_SCRIPT = 'cd -- "$0" && unset OLDPWD && exec "$@"';

/**
 * Contains commands in a PID namespace. When its first process ends, the kernel ends all others, even detached ones;
 * none of them can see or signal the engine. The first process is Tenon's, not the command, so signals reach the
 * command normally and it does not inherit orphans.
 */
export async function findNamespaceContainment(path: string): Promise<ProcessContainment | undefined> {
  const tools = process.platform === "linux" ? findNamespaceTools(path) : undefined;
  if (!tools) return undefined;
  for (const form of process.getuid?.() === 0
    ? [...ROOT_NAMESPACE_FLAGS, ...USER_NAMESPACE_FLAGS]
    : USER_NAMESPACE_FLAGS) {
    const containment: ProcessContainment = (prepared) => startNamespaceCommand(tools, form, prepared);
    if (await canContainCommands(containment)) return containment;
  }
  return undefined;
}

function findNamespaceTools(path: string): NamespaceTools | undefined {
  const [unshare, nsenter, setsid, setpriv] = ["unshare", "nsenter", "setsid", "setpriv"].map((name) => {
    const found = findProgram(name, "/", [], path);
    return typeof found === "string" ? found : undefined;
  });
  return unshare && nsenter && setsid && setpriv ? { unshare, nsenter, setsid, setpriv } : undefined;
}

/** A system may have the programs and still forbid namespaces, fully or in part. */
async function canContainCommands(containment: ProcessContainment): Promise<boolean> {
  const probe = { file: NAMESPACE_SHELL, args: ["-c", 'exit "$((6 * 7))"'], folder: "/", environment: {} };
  try {
    const { main, end } = await containment(probe);
    main.stdout?.resume();
    main.stderr?.resume();
    await waitForProcessEnd(main);
    await end();
    return main.exitCode === 42;
  } catch {
    return false;
  }
}

async function startNamespaceCommand(
  tools: NamespaceTools,
  form: NamespaceFlags,
  prepared: PreparedCommand,
): Promise<ContainedCommand> {
  const dieWithUs = ["--pdeathsig", "KILL", "--"];
  const hold = [tools.unshare, ...form, "--fork", "--kill-child", "--", NAMESPACE_SHELL, "-c", NAMESPACE_INIT_SCRIPT];
  const holder = spawn(tools.setpriv, [...dieWithUs, ...hold], {
    cwd: "/",
    env: {},
    stdio: "pipe",
    detached: true,
  });
  await waitUntilNamespaceReady(holder);
  const at = `/proc/${holder.pid}/ns`;
  const doors = [
    ...(form.includes("--user") ? [`--user=${at}/user`, "--preserve-credentials"] : []),
    ...(form.includes("--mount-proc") ? [`--mount=${at}/mnt`] : []),
    `--pid=${at}/pid_for_children`,
  ];
  const command = [NAMESPACE_SHELL, "-c", NAMESPACE_ENTRY_SCRIPT, prepared.folder, prepared.file, ...prepared.args];
  const enter = [tools.nsenter, ...doors, "--", tools.setsid, ...command];
  try {
    const main = spawn(tools.setpriv, [...dieWithUs, ...enter], {
      cwd: "/",
      env: prepared.environment,
      stdio: getCommandStreams(prepared),
      detached: true,
    });
    return { main, ask: () => void holder.stdin?.write("\n"), end: () => closeNamespace(holder, main) };
  } catch (error) {
    await closeNamespace(holder);
    throw error;
  }
}

function waitUntilNamespaceReady(holder: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    holder.stdin?.on("error", () => undefined);
    holder.stderr?.on("data", (part: Buffer) => void (said = (said + part.toString()).slice(-500)));
    holder.stdout?.once("data", () => resolve());
    holder.once("error", reject);
    holder.once("close", () => reject(new Error(said.trim() || "No cell could be made.")));
  });
}

/**
 * The holder ends only after every process of the namespace has ended. The entrance reaps the command and stops
 * whenever the command is stopped, so each round continues it.
 */
async function closeNamespace(holder: ChildProcess, main?: ChildProcess): Promise<void> {
  holder.stdin?.end();
  const last = performance.now() + LONGEST_PROCESS_END_MS;
  for (let round = 1; !hasProcessEnded(holder) && performance.now() < last; round++) {
    main?.kill("SIGCONT");
    await waitForProcessEnd(holder, Math.min(round * 5, 100));
    // A process of the command may have stopped the listening child.
    if (round === 20) signalProcessChildren(holder.pid, "SIGKILL");
  }
  holder.kill("SIGKILL");
  if (!main) return;
  await waitForProcessEnd(main, 1000);
  main.kill("SIGKILL");
}
