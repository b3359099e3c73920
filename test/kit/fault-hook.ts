/**
 * Loaded with `--import`, it numbers the calls by which the program changes files or the ledger, and strikes one of them:
 * `TENON_FAULT=SIGKILL:17` dies before call 17, `ENOSPC:17` lets it fail,
 * `ENOSPC+:17` it and all later ones of its name. `TENON_FAULT_LOG` names a file for the calls.
 * With `TENON_FAULT_WIDE` the calls count too by which folders go, links come and programs start.
 * For systems without strace: it cannot strike inside SQLite, only between its statements.
 */
import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { DatabaseSync, StatementSync } from "node:sqlite";

type Anything = (...values: unknown[]) => unknown;

const [blow = "", chosen = ""] = (process.env["TENON_FAULT"] ?? "").split(":");
const code = blow.replace("+", "");
const { openSync, writeSync } = fs;
const log = openSync(process.env["TENON_FAULT_LOG"] ?? os.devNull, "a");
let calls = 0;
let struck: string | undefined;

const WRITES = [
  "mkdirSync",
  "writeFileSync",
  "writeSync",
  "fsyncSync",
  "fchmodSync",
  "chmodSync",
  "renameSync",
  "rmSync",
];
for (const name of WRITES) intercept(fs, name);
if (process.env["TENON_FAULT_WIDE"]) {
  for (const name of ["rmdirSync", "symlinkSync"]) intercept(fs, name);
  intercept(childProcess, "spawn");
}
intercept(fs, "openSync", ([, flags]) => isForWriting(flags));
for (const name of ["exec", "close"]) intercept(DatabaseSync.prototype, name);
intercept(StatementSync.prototype, "run");
syncBuiltinESMExports();

function intercept(owner: object, name: string, isWrite: (values: unknown[]) => boolean = () => true): void {
  const target = owner as Record<string, Anything>;
  const original = target[name] as Anything;
  target[name] = function (this: unknown, ...values: unknown[]) {
    if (isWrite(values)) strike(name, values);
    return original.apply(this, values);
  };
}

function strike(name: string, values: readonly unknown[]): void {
  const isChosen = ++calls === Number(chosen) || (blow.endsWith("+") && name === struck);
  const places = values.filter((value) => typeof value === "string" && value.startsWith("/"));
  writeSync(log, `${isChosen ? "!" : ""}${[name, ...places].join(" ")}\n`);
  if (!isChosen) return;
  struck = name;
  if (blow === "SIGKILL") process.kill(process.pid, "SIGKILL");
  const errno = -os.constants.errno[code as keyof typeof os.constants.errno];
  throw Object.assign(new Error(`${code}: injected, ${name}`), { code, errno, syscall: name });
}

function isForWriting(flags: unknown): boolean {
  return typeof flags === "number" ? (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0 : flags !== "r";
}
