import { Fault } from "../model/fault.ts";

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
  if (DISK_FULL_CODES.has(code) || (typeof errno === "number" && DISK_FULL_NUMBERS.has(errno))) {
    return new Fault("disk.full", {
      what: `${path} could not be written.`,
      why: `The disk or the quota is full (${code === "UNKNOWN" ? `error ${String(errno)}` : code}).`,
      fix: "Free some space (df -h), then run the command again.",
    });
  }
  if (code === "EROFS") {
    return new Fault("files.unwritable", {
      what: `${path} could not be written.`,
      why: "The file system is read-only (EROFS).",
      fix: `See how it is mounted (findmnt -T ${path}), then run the command again.`,
    });
  }
  if (code === "ENOENT") {
    return new Fault("files.unwritable", {
      what: `${path} could not be ${verb === "read" ? "read" : "written"}.`,
      why: verb === "read" ? "There is no such file." : "There is no such folder.",
      fix: "Give a path that exists.",
    });
  }
  return new Fault("files.unwritable", {
    what: `${path} could not be ${verb === "read" ? "read" : "written"}.`,
    why: `The system said ${code}.`,
    fix: `Check the permissions: ls -la ${path}`,
  });
}
