import { Fault } from "./fault.ts";

const DISK_FULL_CODES = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
/** On some systems Node reports EDQUOT only as a number. */
const DISK_FULL_NUMBERS = new Set([-28, -122, -27]);

export function readErrorCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

export function toFileFault(error: unknown, path: string, verb: "read" | "write"): Fault {
  if (error instanceof Fault) return error;
  const errno: unknown = error instanceof Error && "errno" in error ? error.errno : undefined;
  const code = readErrorCode(error) ?? "unknown error";
  const what = `${path} could not be ${verb === "read" ? "read" : "written"}.`;
  if (DISK_FULL_CODES.has(code) || (typeof errno === "number" && DISK_FULL_NUMBERS.has(errno))) {
    return new Fault("disk.full", {
      what: `${path} could not be written.`,
      why: `The disk or the quota is full (${code === "UNKNOWN" ? `error ${String(errno)}` : code}).`,
      fix: "Free some space (df -h) or files (df -i), then run the command again.",
    });
  }
  if (code === "EROFS") {
    return new Fault("files.unwritable", {
      what: `${path} could not be written.`,
      why: "The file system is read-only (EROFS).",
      fix: [
        "In an agent's sandbox, such as Codex's, use the MCP tools: the server runs outside the sandbox.",
        `Otherwise check how it is mounted: findmnt -T ${path}`,
      ],
    });
  }
  if (code === "ENOENT") {
    const why = verb === "read" ? "There is no such file." : "There is no such folder.";
    return new Fault("files.unwritable", { what, why, fix: "Give a path that exists." });
  }
  if (code === "EMFILE" || code === "ENFILE") {
    return new Fault("files.unwritable", {
      what,
      why: `Too many files are open (${code}).`,
      fix: "Raise the limit, then run the command again: ulimit -n 4096",
    });
  }
  const fix = `Check the permissions: ls -la ${path}`;
  return new Fault("files.unwritable", { what, why: `The system reported ${code}.`, fix });
}

/** Runs a file system call. Its error becomes a fault about the path. */
export function withFileFault<T>(path: string, verb: "read" | "write", work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toFileFault(error, path, verb);
  }
}

/** Errors of the machine. Others, such as EINVAL, show a defect in Tenon. */
const MACHINE_ERROR = /^E(?:ACCES|PERM|IO|ROFS|MFILE|NFILE|NOMEM|AGAIN|BUSY|NOLCK|STALE|NAMETOOLONG|NOSPC|DQUOT|FBIG)$/;

/** An error of the machine that no closer code expected, as a fault. Undefined for a defect. */
export function toSystemFault(error: unknown): Fault | undefined {
  if (error instanceof Fault) return error;
  if (!(error instanceof Error && "syscall" in error && "errno" in error)) return undefined;
  if (!MACHINE_ERROR.test(readErrorCode(error) ?? "") && !DISK_FULL_NUMBERS.has(error.errno as number))
    return undefined;
  const place = "path" in error && typeof error.path === "string" ? error.path : String(error.syscall);
  return toFileFault(error, place, "read");
}
