import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "../kit/folder.ts";
import { environment } from "../kit/process.ts";

/** util-linux's `script` gives a command a terminal. */
export const hasTerminal =
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;

interface ShellResult {
  readonly code: number | null;
  /** Standard output, without colours. */
  readonly out: string;
  readonly err: string;
}

export interface NewMachine extends Disposable {
  readonly root: string;
  /** A copy of what a checkout ships, after the build. */
  readonly checkout: string;
  /** Runs lines of shell. The next call starts in the folder that these end in. With `answer`, they run on a terminal. */
  run(lines: string, answer?: string): ShellResult;
  enter(folder: string): void;
}

/** A machine with Node and git, on which Tenon was never installed. */
export function startNewMachine(): NewMachine {
  const folder: TemporaryFolder = temporaryFolder();
  const [checkout, prefix, home] = ["checkout", "prefix", "home"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [prefix, home]) fs.mkdirSync(path);
  const { files } = JSON.parse(fs.readFileSync("package.json", "utf8"));
  for (const name of ["package.json", "README.md", "LICENSE", ...files])
    fs.cpSync(name, join(checkout, name), { recursive: true });
  const env = environment({
    PATH: [join(prefix, "bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter),
    HOME: home,
    TENON_HOME: home,
    XDG_CONFIG_HOME: home,
    NO_COLOR: "1",
    npm_config_prefix: prefix,
    // The copy is built already.
    npm_config_ignore_scripts: "true",
    npm_config_update_notifier: "false",
    GIT_AUTHOR_NAME: "Ann",
    GIT_AUTHOR_EMAIL: "ann@example.com",
    GIT_COMMITTER_NAME: "Ann",
    GIT_COMMITTER_EMAIL: "ann@example.com",
  });
  const place = join(folder.path, "place");
  let cwd = folder.path;
  return {
    root: folder.path,
    checkout,
    enter: (path) => void (cwd = path),
    run(lines, answer) {
      const program = `set -e; trap 'pwd > ${place}' EXIT\n${lines}`;
      const done =
        answer === undefined
          ? spawnSync("bash", ["-c", program], { cwd, env, encoding: "utf8" })
          : spawnSync(
              "script",
              ["--quiet", "--return", "--echo", "never", "--command", `stty cols 80; ${lines}`, "/dev/null"],
              {
                cwd,
                env: { ...env, TERM: "xterm" },
                encoding: "utf8",
                input: `${answer}\n`,
              },
            );
      if (answer === undefined) cwd = fs.readFileSync(place, "utf8").trim();
      return { code: done.status, out: stripControlCodes(done.stdout), err: done.stderr };
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const stripControlCodes = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- terminals are controlled by escapes
  text.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]|\r/g, "");
