import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { dirname, join, relative } from "node:path";
import { git } from "./folder.ts";

/** Everything that a user could miss, by name: files with their modes, empty folders, the index, HEAD, refs, settings, logs. */
export type Likeness = Readonly<Record<string, string>>;

/** Of a checkout, with what is ignored and what lies in submodules; private refs and what is Tenon's in `.git` are not in it. */
export function takeLikeness(root: string): Likeness {
  const quiet = ["--no-optional-locks", "-c", "core.quotePath=false"];
  const ask = (...words: string[]): string =>
    execFileSync("git", [...quiet, ...words], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const [gitFolder = "", common = "", top = ""] = ask(
    "rev-parse",
    "--path-format=absolute",
    "--git-dir",
    "--git-common-dir",
    "--show-toplevel",
  ).split("\n");
  const entries = git(root, "ls-files", "-s", "-v", "-z").split("\0").slice(0, -1);
  const intended = new Set(ask("diff", "--name-only", "--relative", "--diff-filter=A", "-z").split("\0"));
  return {
    ...likenessOfFiles(top, root),
    ...Object.fromEntries(
      entries.map((entry) => {
        const [head = "", path = ""] = entry.split(/\t(.*)/s);
        return [`index ${path}`, `${head}${intended.has(path) ? " intended" : ""}`];
      }),
    ),
    HEAD: fs.readFileSync(join(gitFolder, "HEAD"), "utf8"),
    refs: ask("for-each-ref", "--format=%(refname) %(objectname)")
      .split("\n")
      .filter((line) => !line.startsWith("refs/tenon/"))
      .join("\n"),
    config: fs.readFileSync(join(common, "config"), "utf8"),
    logs: textBelow(join(common, "logs")) + textBelow(join(gitFolder, "logs")),
  };
}

function likenessOfFiles(top: string, root: string): Likeness {
  const found: Record<string, string> = {};
  for (const entry of fs.readdirSync(top, { recursive: true, withFileTypes: true })) {
    const place = join(entry.parentPath, entry.name);
    if (relative(top, place).split("/")[0] === ".git") continue;
    const path = relative(root, place);
    const stat = fs.lstatSync(place);
    if (stat.isSymbolicLink()) found[`file ${path}`] = `link to ${fs.readlinkSync(place)}`;
    else if (stat.isFile())
      found[`file ${path}`] = `${(stat.mode & 0o777).toString(8)} ${hash(fs.readFileSync(place))}`;
    else if (!stat.isDirectory()) found[`file ${path}`] = "of another kind";
    else if (fs.readdirSync(place).length === 0) found[`folder ${path}`] = "empty";
  }
  return found;
}

const hash = (bytes: Buffer): string =>
  bytes.length < 60 && /^[\x20-\x7e\r\n]*$/.test(bytes.toString("latin1"))
    ? JSON.stringify(bytes.toString("latin1"))
    : createHash("sha256").update(bytes).digest("hex");

function textBelow(folder: string): string {
  if (!fs.existsSync(folder)) return "";
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => `${entry.name}\n${fs.readFileSync(join(entry.parentPath, entry.name), "utf8")}`).join("");
}

/** The part of a likeness that is about these paths, or the part that is not. */
export function selectPart(likeness: Likeness, paths: readonly string[], isAbout = true): Likeness {
  const own = new Set(paths.flatMap((path) => [`file ${path}`, `index ${path}`]));
  return Object.fromEntries(Object.entries(likeness).filter(([name]) => own.has(name) === isAbout));
}

/** Writes a file, and the folders on the way to it. */
export function put(root: string, path: string, text: string | Buffer): void {
  fs.mkdirSync(dirname(join(root, path)), { recursive: true });
  fs.writeFileSync(join(root, path), text);
}

/** Commits everything, as somebody who is no user of this machine. */
export function commitAll(root: string, message = "work"): void {
  git(root, "add", "-A");
  git(root, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", message);
}
