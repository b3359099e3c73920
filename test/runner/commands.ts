import { isFull } from "../kit/chance.ts";
import type { Report } from "./engine.ts";

const FLOOD = isFull ? 10_000_000_000 : 300_000_000;
const LINE = isFull ? 1_000_000_000 : 200_000_000;
const CROWD = isFull ? 5000 : 300;

export interface Hostile {
  /** What it does. The mark stands in the arguments of every process that it leaves. */
  readonly line: (mark: string) => string;
  readonly ends: Partial<Report>;
  readonly silence_s?: number;
  readonly timeout_s?: number;
}

const SILENT = { ends: { how: "silent" }, silence_s: 0.5 } as const;
const AWAY = { how: "exited", code: 0, tail: "away\n" } as const;

/** Sleeps for longer than any test, with the mark for a fraction of a second. */
const sleep = (mark: string): string => `sleep 9999.${mark}`;
/** Goes on once whoever was sent away has said so. */
const away = "while [ ! -e away ]; do sleep 0.01; done; echo away";
const NODE = process.execPath;

/** Those that try to be alive when the check is over. */
export const ESCAPES: Readonly<Record<string, Hostile>> = {
  hangs: { line: sleep, ...SILENT },
  "ignores SIGTERM": { line: (mark) => `trap '' TERM HUP INT; while :; do ${sleep(mark)}; done`, ...SILENT },
  "leaves a child that holds the pipe": { line: (mark) => `${sleep(mark)} & echo away`, ends: AWAY },
  "flees into a session of its own": {
    line: (mark) => `setsid sh -c 'touch away; exec ${sleep(mark)}' & ${away}`,
    ends: AWAY,
  },
  "flees twice, with nothing in its environment and deaf": {
    line: (mark) =>
      `(env -i PATH=/usr/bin:/bin setsid sh -c 'trap "" TERM HUP; (setsid sh -c "touch away; exec ${sleep(mark)}" &)' &); ${away}`,
    ends: AWAY,
  },
  "hops from process to process": {
    line: (mark) => `echo 'touch away; setsid sh "$0" ${mark} &' > hop; setsid sh hop ${mark} & ${away}`,
    ends: AWAY,
  },
  "flees with its pipes closed": {
    line: (mark) => `setsid sh -c 'touch away; exec ${sleep(mark)}' >/dev/null 2>&1 </dev/null & ${away}`,
    ends: AWAY,
  },
  "starts others again and again": {
    line: (mark) => `setsid sh -c 'touch away; while :; do setsid ${sleep(mark)} & sleep 0.01; done' & ${away}`,
    ends: AWAY,
  },
  "starts very many": {
    line: (mark) => `i=0; while [ $i -lt ${CROWD} ]; do setsid ${sleep(mark)} & i=$((i+1)); done; echo away`,
    ends: AWAY,
    timeout_s: 300,
  },
  "becomes another program again and again": {
    line: (mark) => `exec sh -c 'exec sh -c "exec ${sleep(mark)}"'`,
    ...SILENT,
  },
  "stops whoever listens for the engine": {
    line: (mark) => `[ "$PPID" -ne 0 ] || kill -STOP 2; ${sleep(mark)}`,
    ...SILENT,
  },
  "stops itself": { line: (mark) => `kill -STOP $$; : ${mark}`, ...SILENT },
  "stops a child that fled": {
    line: (mark) => `setsid sh -c 'touch away; kill -STOP $$; : ${mark}' & ${away}`,
    ends: AWAY,
  },
  "kills its own group": {
    line: (mark) => `setsid sh -c 'touch away; exec ${sleep(mark)}' & ${away}; kill -9 0`,
    ends: { how: "signalled", signal: "SIGKILL" },
  },
  "closes its output and goes on": { line: (mark) => `exec >&- 2>&-; ${sleep(mark)}`, ...SILENT },
  "deletes its folder": { line: (mark) => `rm -rf "$PWD"; ${sleep(mark)}`, ...SILENT },
  "leaves a swarm of dead": {
    line: (mark) => `i=0; while [ $i -lt 200 ]; do (true &); i=$((i+1)); done; ${sleep(mark)}`,
    ...SILENT,
    silence_s: 3,
  },
};

/** Those that say too much, or what is not so. */
export const TALKERS: Readonly<Record<string, Hostile>> = {
  "floods standard output": {
    line: () => `head -c ${FLOOD} /dev/zero`,
    ends: { how: "exited", code: 0, bytes: FLOOD, isCut: true },
    timeout_s: 600,
  },
  "floods both streams": {
    line: () => `head -c ${FLOOD / 2} /dev/zero >&2 & head -c ${FLOOD / 2} /dev/zero; wait`,
    ends: { how: "exited", code: 0, bytes: FLOOD, isCut: true },
    timeout_s: 600,
  },
  "never ends to talk": { line: () => "yes", ends: { how: "timed-out", isCut: true }, timeout_s: 1 },
  "says one line without an end": {
    line: () => `head -c ${LINE} /dev/zero | tr '\\0' x`,
    ends: { how: "exited", code: 0, bytes: LINE, tail: "x".repeat(200) },
    timeout_s: 600,
  },
  "says what is no text": {
    line: () => "head -c 3000000 /dev/zero | tr '\\0' '\\377'",
    ends: { how: "exited", code: 0, bytes: 3_000_000, tail: "\ufffd".repeat(200) },
  },
  "says what is a program": { line: () => 'cat "$(command -v cat)"; echo; echo end', ends: { how: "exited", code: 0 } },
  "acts on a terminal": {
    line: () => String.raw`printf '\033[2J\033]52;c;ZXZpbA==\007\r'; (: >/dev/tty) 2>/dev/null && echo terminal; true`,
    ends: { how: "exited", code: 0, tail: "\u001b[2J\u001b]52;c;ZXZpbA==\u0007\r" },
  },
  "says nothing and succeeds": { line: () => "true", ends: { how: "exited", code: 0, bytes: 0, tail: "" } },
  "says that all tests passed and fails": {
    line: () => "echo ALL TESTS PASSED; exit 1",
    ends: { how: "exited", code: 1, tail: "ALL TESTS PASSED\n" },
  },
  "waits for an answer": { line: () => "cat; echo end", ends: { how: "exited", code: 0, tail: "end\n" } },
  "aborts itself": { line: () => "kill -ABRT $$", ends: { how: "signalled", signal: "SIGABRT" } },
  "opens ten thousand files": {
    line: () =>
      `'${NODE}' -e 'const fs = require("fs"); try { for (let n = 0; n < 1e4; n++) fs.openSync("/dev/null") } catch {} console.log("end")'`,
    ends: { how: "exited", code: 0, tail: "end\n" },
  },
  "removes what is kept of it": {
    line: () => 'echo before; rm -rf "$TMPDIR"/tenon-run-*; echo after',
    ends: { how: "exited", code: 0, tail: "before\nafter\n" },
  },
};
