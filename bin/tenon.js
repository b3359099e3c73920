#!/usr/bin/env node
// Runs on any Node, so that an old one is detected before it loads a file that it cannot parse.
// CommonJS by the package.json beside it: the loader of ES modules would take a fifth of a hook's time.
"use strict";
const fs = require("node:fs");
const vm = require("node:vm");

const DIST = `${__dirname.slice(0, -"bin".length)}dist/`;
/** The build starts each script with the hash of its text. */
const STAMP = /^\/\*([0-9a-f]{32})\*\//;
/** A client has its first answers by then. */
const SERVER_START_MS = 3000;

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `Tenon needs Node 22.18 or newer, and this is ${process.versions.node}: install Node 24 and run the command again.\n`,
  );
  process.exitCode = 1;
} else {
  // A hook runs at every edit, so it loads only its own bundle.
  const isHook = process.argv[2] === "hook" && !/^(?:--help|-h)$/.test(process.argv[3] ?? "");
  createLoader(locateCodeCache())(isHook ? "./hook.cjs" : "./main.cjs");
}

function locateCodeCache() {
  const { TENON_HOME, XDG_CACHE_HOME, LOCALAPPDATA, HOME } = process.env;
  const folder = TENON_HOME || XDG_CACHE_HOME || LOCALAPPDATA || (HOME && `${HOME}/.cache`);
  // Node hangs when it creates a folder below /proc.
  return folder && !folder.startsWith("/proc")
    ? `${folder}/tenon/code/${process.version}-${process.platform}-${process.arch}`
    : undefined;
}

function createLoader(cache) {
  const modules = new Map();
  return function load(name) {
    if (!name.startsWith("./")) return require(name);
    const known = modules.get(name);
    if (known) return known.exports;
    const filename = DIST + name.slice(2);
    const module = {
      exports: {},
      get url() {
        return require("node:url").pathToFileURL(filename).href;
      },
    };
    modules.set(name, module);
    const run = compileScript(filename, fs.readFileSync(filename, "latin1"), cache).runInThisContext();
    run(module.exports, load, module, filename, DIST.slice(0, -1));
    return module.exports;
  };
}

/**
 * Node's own compile cache keeps only the functions that run while a file loads, and V8 compiles the others again in
 * every process. This one keeps all of them. A server starts in one way only, so its file keeps those that a start
 * needs: reading the rest would delay its first answer.
 */
function compileScript(filename, source, cache) {
  const file = cache && `${cache}/${STAMP.exec(source)[1]}`;
  const cachedData = file && readFileIfPresent(file);
  if (cachedData) {
    const script = new vm.Script(source, { filename, cachedData });
    // V8 would give the same script for the same text, so the next process replaces the code.
    if (script.cachedDataRejected) fs.rmSync(file, { force: true });
    return script;
  }
  if (!file || !filename.endsWith("/mcp.cjs")) return compileAllFunctions(source, filename, file && createDraft(file));
  const started = new vm.Script(source, { filename });
  const save = () => {
    clearTimeout(timer);
    process.off("exit", save);
    createDraft(file)?.save(started);
  };
  const timer = setTimeout(save, SERVER_START_MS).unref();
  process.on("exit", save);
  return started;
}

function readFileIfPresent(file) {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

/** A file that does not have its name yet. Undefined where it cannot be written. */
function createDraft(file) {
  const draft = `${file}.${process.pid}`;
  try {
    fs.mkdirSync(file.slice(0, file.lastIndexOf("/")), { recursive: true, mode: 0o700 });
    const fd = fs.openSync(draft, "wx", 0o600);
    return { save: (script) => saveCompiledCode(script, fd, draft, file) };
  } catch {
    return undefined;
  }
}

/** V8 does not check code that it reads. The file is on disk before it gets its name, so no crash leaves half of it. */
function saveCompiledCode(script, fd, draft, file) {
  try {
    fs.writeFileSync(fd, script.createCachedData());
    fs.fsyncSync(fd);
    fs.closeSync(fd);
    fs.renameSync(draft, file);
  } catch {
    fs.rmSync(draft, { force: true });
  }
}

/** V8 compares the flags of the code with its own, so they must be the usual ones again when the code is saved. */
function compileAllFunctions(source, filename, draft) {
  if (!draft) return new vm.Script(source, { filename });
  const v8 = require("node:v8");
  v8.setFlagsFromString("--no-lazy");
  const script = new vm.Script(source, { filename });
  v8.setFlagsFromString("--lazy");
  draft.save(script);
  return script;
}
