/**
 * Loaded with `--import`, it numbers the calls by which the program changes files or the ledger, and strikes one of them:
 * `TENON_FAULT=SIGKILL:17` dies before call 17, `SIGSTOP:17` stands still there, `ENOSPC:17` lets it fail,
 * `ENOSPC+:17` it and all later ones of its name. `TENON_FAULT_LOG` names a file for the calls, or the number of an open one.
 * Instead of a number there may be words: `SIGSTOP:spawn update-ref>exec BEGIN` is the first transaction after a ref.
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
const place = process.env["TENON_FAULT_LOG"] ?? os.devNull;
const log = /^\d+$/.test(place) ? Number(place) : openSync(place, "a");
const way = /^-?\d*$/.test(chosen) ? undefined : chosen.split(">").map((words) => new RegExp(words));
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
  const label = [name, ...about(name, values)].join(" ");
  const isChosen = isMeant(label) || (blow.endsWith("+") && name === struck);
  writeSync(log, `${isChosen ? "!" : ""}${label}\n`);
  if (!isChosen) return;
  struck = name;
  if (blow === "SIGKILL" || blow === "SIGSTOP") process.kill(process.pid, blow);
  if (blow === "SIGSTOP") return;
  const errno = -os.constants.errno[code as keyof typeof os.constants.errno];
  throw Object.assign(new Error(`${code}: injected, ${name}`), { code, errno, syscall: name });
}

function isMeant(label: string): boolean {
  if (way === undefined) return ++calls === Number(chosen);
  if (!way[0]?.test(label)) return false;
  way.shift();
  return way.length === 0;
}

/** What a call is about: places, the word that a statement begins with, or what git is asked for. */
function about(name: string, values: readonly unknown[]): unknown[] {
  if (name === "exec") return [/^\w*/.exec(String(values[0]))];
  if (name === "spawn") return (values[1] as string[]).filter((word) => !word.startsWith("-")).slice(0, 1);
  return values.filter((value) => typeof value === "string" && value.startsWith("/"));
}

function isForWriting(flags: unknown): boolean {
  return typeof flags === "number" ? (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0 : flags !== "r";
}
