import { Fault } from "../fault.ts";
import { quote } from "../quote.ts";

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
/** Environment variables that change what a program loads or runs. */
const STEERING_VARIABLES = [
  /^(?:LD|DYLD|GIT|TENON|BASH_FUNC|NPM_CONFIG|YARN|PNPM|CARGO|RUSTC?|RUSTUP|UV|PIP)_/i,
  /PATH(?:EXT)?$|(?:OPTIONS?|OPTS?|FLAGS|ADDOPTS|ARGS|WRAPPER|PRELOAD|STARTUP|PRELOADS|PLUGINS?|LOADER|TOOLCHAIN)$/i,
  /^(?:ENV|BASH_ENV|ZDOTDIR|SHELL|SHELLOPTS|BASHOPTS|IFS|PS4|PROMPT_COMMAND|COMSPEC|HOME|TMPDIR|TEMP|TMP)$/i,
  /^(?:PYTHON(?:HOME|INSPECT|BREAKPOINT|USERBASE|EXECUTABLE)|PERL5(?:LIB|DB)|RUBYLIB|GOENV|GOROOT|JAVA_HOME)$/i,
  /^(?:EDITOR|VISUAL|PAGER|BROWSER|SSH_ASKPASS|SUDO_ASKPASS|CC|CXX|LD|AR|MAKE|NODE|NODE_ENV_FILE)$/i,
];

/** Names of the user's variables that checks may see. Values never appear here. */
export function validatePassedVariables(names: readonly string[]): string[] {
  for (const name of names) {
    const why = VARIABLE_NAME.test(name)
      ? STEERING_VARIABLES.some((pattern) => pattern.test(name))
        ? "It decides what programs load or run, so checks get their own."
        : undefined
      : "It is not the name of a variable.";
    if (why === undefined) continue;
    throw new Fault("trust.bad-variable", {
      what: `${quote(name, 60)} is not passed to checks.`,
      why,
      fix: "Name variables that only hold a value, as: tenon trust --pass DATABASE_URL",
    });
  }
  return [...new Set(names)].toSorted();
}
