import fs from "node:fs";
import { readBootId } from "./machine-environment.ts";

interface SeenProcess {
  readonly parent: number;
  /** Clock ticks after the boot. A later process with the same id has another start. */
  readonly start: string;
  readonly name: string;
}

/** Programs that only start others. The client is above them. */
const WRAPPERS = new Set(
  "sh bash dash zsh ksh fish csh tcsh ash busybox env timeout nice nohup sudo npm npx yarn pnpm bunx uvx".split(" "),
);
const MAX_LEVELS = 32;

/** Undefined if there is no such process, or where the system does not show processes as files. */
function readProcess(pid: number): SeenProcess | undefined {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name may contain spaces and brackets: `12 (a ) b) S 1 …`
    const end = text.lastIndexOf(")");
    const fields = text.slice(end + 2).split(" ");
    // A zombie has ended, though its parent has not noticed.
    if (/^[ZX]$/.test(fields[0] ?? "")) return undefined;
    return { name: text.slice(text.indexOf("(") + 1, end), parent: Number(fields[1]), start: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}

/** Processes are comparable only within one boot of one machine and one container. */
function readPlace(): string | undefined {
  try {
    return `${readBootId().slice(0, 8)}.${/\d+/.exec(fs.readlinkSync("/proc/self/ns/pid"))?.[0] ?? ""}`;
  } catch {
    return undefined;
  }
}

const formatMark = (place: string, pid: number, start: string): string => `${pid}.${start}@${place}`;

/** Names a process so that it can be recognized later: `1234.5678@boot.container`. */
export function markProcess(pid: number): string | undefined {
  const [place, found] = [readPlace(), readProcess(pid)];
  return place === undefined || !found ? undefined : formatMark(place, pid, found.start);
}

/** The processes that led to `pid`, nearest first, without shells and other programs that only start programs. */
export function markClients(pid: number, most = MAX_LEVELS): string[] {
  const place = readPlace();
  const marks: string[] = [];
  let next = pid;
  for (let level = 0; level < MAX_LEVELS && next > 1 && place !== undefined && marks.length < most; level++) {
    const found = readProcess(next);
    if (!found) break;
    // The name of `npm run build` has its words.
    if (!WRAPPERS.has(/^\w*/.exec(found.name)?.[0] ?? "")) marks.push(formatMark(place, next, found.start));
    next = found.parent;
  }
  return marks;
}

/** Processes of another machine, boot or container cannot be judged from here. */
function judgeProcess(mark: string): "running" | "gone" | "unknown" {
  const [, pid = "", start = "", place = ""] = /^(\d+)\.(\d+)@(.+)$/.exec(mark) ?? [];
  if (start === "" || place !== readPlace()) return "unknown";
  const found = readProcess(Number(pid));
  if (found) return found.start === start ? "running" : "gone";
  return fs.existsSync("/proc/self/stat") ? "gone" : "unknown";
}

/** Only true if it is certain. */
export const isProcessGone = (mark: string): boolean => judgeProcess(mark) === "gone";

/** Only true if it is certain. */
export const isProcessRunning = (mark: string): boolean => judgeProcess(mark) === "running";
