/** Brings a project onto this machine as a git repository of its own. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join, resolve } from "node:path";
import type { RealProject } from "./project-list.ts";

export function copyProject({ source, gitignore }: Pick<RealProject, "source" | "gitignore">, folder: string): void {
  fs.mkdirSync(folder, { recursive: true });
  const scratch = `${folder}.download`;
  fs.mkdirSync(scratch, { recursive: true });
  if (source.debian !== undefined) copyDebianSource(source.debian, scratch, folder);
  else if (source.npm !== undefined) {
    const [{ filename = "" } = {}] = JSON.parse(run(scratch, "npm", "pack", "--json", source.npm)) as {
      filename?: string;
    }[];
    run(folder, "tar", "--extract", "--strip-components=1", "--file", join(scratch, filename));
  } else if (source.pypi !== undefined) {
    run(scratch, "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", source.pypi);
    const [archive = ""] = fs.readdirSync(scratch).filter((name) => name.endsWith(".tar.gz"));
    run(folder, "tar", "--extract", "--strip-components=1", "--file", join(scratch, archive));
  } else if (source.crate !== undefined) copyCrate(source.crate, scratch, folder);
  else if (source.go !== undefined) {
    const { Dir } = JSON.parse(run(scratch, "go", "mod", "download", "-json", source.go)) as { Dir: string };
    fs.cpSync(Dir, folder, { recursive: true });
    run(folder, "chmod", "-R", "u+w", ".");
  }
  fs.rmSync(scratch, { recursive: true, force: true });
  fs.rmSync(join(folder, ".git"), { recursive: true, force: true });
  if (gitignore !== undefined) fs.appendFileSync(join(folder, ".gitignore"), `\n${gitignore}\n`);
  run(folder, "git", "init", "--quiet", "--initial-branch=main");
  run(folder, "git", "config", "user.name", "Bench");
  run(folder, "git", "config", "user.email", "bench@example.com");
}

export function commitAll(folder: string, message: string): void {
  run(folder, "git", "add", "--all");
  run(folder, "git", "commit", "--quiet", "--allow-empty", "--no-verify", "--message", message);
}

/** The archive of the project's authors, without Debian's changes. */
function copyDebianSource(name: string, scratch: string, folder: string): void {
  const options = prepareAptSources(resolve(folder, "..", "apt"));
  run(scratch, "apt-get", ...options, "source", "--download-only", "--tar-only", name);
  const [archive = ""] = fs.readdirSync(scratch).filter((file) => /\.orig\.tar\.[a-z0-9]+$/.test(file));
  run(folder, "tar", "--extract", "--strip-components=1", "--file", join(scratch, archive));
}

/** Lists of source packages in a folder of their own, so that the machine's settings stay as they are. */
function prepareAptSources(folder: string): string[] {
  const sources = join(folder, "debian.sources");
  const options = Object.entries({
    "Dir::Etc::sourcelist": "-",
    "Dir::Etc::sourceparts": "-",
    "Dir::State::lists": join(folder, "lists"),
    "Dir::Cache": join(folder, "cache"),
    "APT::Sandbox::User": "root",
  }).flatMap(([key, value]) => ["-o", `${key}=${key.endsWith("sourcelist") ? sources : value}`]);
  if (fs.existsSync(sources)) return options;
  for (const name of ["lists/partial", "cache"]) fs.mkdirSync(join(folder, name), { recursive: true });
  const machine = fs.readFileSync("/etc/apt/sources.list.d/debian.sources", "utf8");
  fs.writeFileSync(sources, machine.replaceAll(/^Types:.*$/gm, "Types: deb-src"));
  run(folder, "apt-get", ...options, "update");
  return options;
}

function copyCrate(crate: string, scratch: string, folder: string): void {
  const [name = "", version = ""] = crate.split("@");
  fs.mkdirSync(join(scratch, "src"));
  fs.writeFileSync(join(scratch, "src/lib.rs"), "");
  const manifest = `[package]\nname = "x"\nversion = "0.0.0"\n[dependencies]\n${name} = "=${version}"\n`;
  fs.writeFileSync(join(scratch, "Cargo.toml"), manifest);
  run(scratch, "cargo", "vendor", "--quiet", "vendor");
  fs.cpSync(join(scratch, "vendor", name), folder, { recursive: true });
  fs.rmSync(join(folder, ".cargo-checksum.json"), { force: true });
  // The published manifest lists every test by name, so that a new one would not run.
  fs.renameSync(join(folder, "Cargo.toml.orig"), join(folder, "Cargo.toml"));
}

function run(folder: string, program: string, ...words: string[]): string {
  const ended = spawnSync(program, words, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
  if (ended.status !== 0)
    throw new Error(
      `${program} ${words.join(" ")}: ${`${ended.stderr}`.trim().split("\n").slice(-3).join(" ").slice(-300)}`,
    );
  return ended.stdout;
}
