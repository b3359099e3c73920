#!/usr/bin/env node
// Runs on any Node, so that an old one is told apart before anything it cannot read is loaded.
import module from "node:module";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `Tenon needs Node 22.18 or newer, and this is ${process.versions.node}: install Node 24 and run the command again.\n`,
  );
  process.exitCode = 1;
} else {
  const { TENON_HOME, XDG_CACHE_HOME, LOCALAPPDATA, HOME } = process.env;
  const cache = TENON_HOME || XDG_CACHE_HOME || LOCALAPPDATA || (HOME && `${HOME}/.cache`);
  // Node hangs on a cache below /proc.
  if (cache && !cache.startsWith("/proc")) module.enableCompileCache(`${cache}/tenon/compile`);
  // A hook runs at every edit, so it loads only its own bundle.
  const isHook = process.argv[2] === "hook" && !/^(?:--help|-h)$/.test(process.argv[3] ?? "");
  if (isHook) module.createRequire(import.meta.url)("../dist/hook.cjs");
  else await import("../dist/main.js");
}
