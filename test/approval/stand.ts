import fs from "node:fs";
import { join } from "node:path";
import { ask, loadRecordedPayload } from "../hook/hook-calls.ts";
import { connect } from "../kit/client.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";

type User = NonNullable<Parameters<typeof connect>[1]["user"]>;

export interface UnprovedFinding {
  readonly kind: string;
  readonly level: string;
  readonly problem: string;
}

/** A repository with its own home, a client, and a user called ada. */
export function openStand(more: Readonly<Record<string, string>> = {}) {
  const [folder, home] = [temporaryRepository(), temporaryFolder()];
  const root = folder.path;
  const env = { TENON_HOME: home.path, TENON_MEMORY: "off", USER: "ada", ...more };
  fs.writeFileSync(join(root, "login.js"), "export const login = 1;\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  const run = (...words: string[]) => tenon(words, { cwd: root, env });
  const findUnproved = ({ out }: { out: string }): UnprovedFinding[] =>
    (JSON.parse(out) as { findings: UnprovedFinding[] }).findings.filter(({ kind }) => kind === "unproved");
  return {
    root,
    env,
    run,
    /** Runs a command that has to succeed. */
    must(...words: string[]): string {
      const { code, out, err } = run(...words);
      if (code !== 0) throw new Error(`tenon ${words.join(" ")}: ${code} ${out}${err}`);
      return out;
    },
    read: (path: string) => fs.readFileSync(join(root, path), "utf8"),
    write: (path: string, text: string) => fs.writeFileSync(join(root, path), text),
    answers(subject: string): unknown[] {
      const file = join(root, `sdd/approvals/${subject}.json`);
      return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, "utf8")) as { answers: unknown[] }).answers : [];
    },
    hook: (event: string, changes = {}) => ask(event, loadRecordedPayload(event, root, changes), root, env).out,
    connect: (user?: User) =>
      connect("2025-11-25", { cwd: root, env, words: ["--toolsets", "all"], ...(user ? { user } : {}) }),
    /** What ci reports of unproved answers, and whether the strict run fails on them. */
    ci() {
      const strict = run("ci", "--strict", "--json");
      return { mild: findUnproved(run("ci", "--json")), strict: findUnproved(strict), code: strict.code };
    },
    [Symbol.dispose]() {
      folder[Symbol.dispose]();
      home[Symbol.dispose]();
    },
  };
}
