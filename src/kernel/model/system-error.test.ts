import { describe, expect, test } from "vitest";
import { Fault } from "./fault.ts";
import { toFileFault, toSystemFault } from "./system-error.ts";

const createError = (code: string, errno: number, path?: string): Error =>
  Object.assign(new Error(code), { code, errno, syscall: "open", ...(path ? { path } : {}) });

describe("unexpected system errors", () => {
  test.each([
    ["EIO", -5, "files.unwritable"],
    ["EACCES", -13, "files.unwritable"],
    ["EMFILE", -24, "files.unwritable"],
    ["ENOSPC", -28, "disk.full"],
    ["Unknown system error -122", -122, "disk.full"],
  ])("reports %s as a fault that names the file", (code, errno, fault) => {
    const { code: found, what } = toSystemFault(createError(code, errno, "README.md")) ?? {};
    expect([found, what]).toEqual([fault, expect.stringContaining("README.md")]);
  });

  test("adds the command that raises the limit to a fault for too many open files", () => {
    expect(toSystemFault(createError("EMFILE", -24))?.fixes[0]).toContain("ulimit -n");
  });

  test("names the way out of an agent's sandbox for a read-only file system", () => {
    const { fixes } = toFileFault(createError("EROFS", -30), ".git/tenon/ledger.db", "write");
    expect(fixes[0]).toContain("use the MCP tools");
    expect(fixes[1]).toBe("Otherwise check how it is mounted: findmnt -T .git/tenon/ledger.db");
  });

  test.each(["EINVAL", "EBADF", "ENOENT"])("keeps %s a defect", (code) => {
    expect(toSystemFault(createError(code, -22, "README.md"))).toBeUndefined();
  });

  test("keeps a fault unchanged", () => {
    const fault = new Fault("adr.unknown", { what: "x", why: "y", fix: "z" });
    expect(toSystemFault(fault)).toBe(fault);
  });

  test("keeps an error without a system call a defect", () => {
    expect(toSystemFault(new TypeError("x"))).toBeUndefined();
  });
});
