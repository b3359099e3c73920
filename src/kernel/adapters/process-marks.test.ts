import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { isProcessGone, isProcessRunning, markClients, markProcess } from "./process-marks.ts";

const own = markProcess(process.pid) ?? "";

test.skipIf(own === "")("recognizes a process until it ends", async () => {
  const child = spawn("sleep", ["60"]);
  const mark = markProcess(child.pid ?? 0) ?? "";
  expect([own, mark].map(isProcessGone)).toEqual([false, false]);
  expect([own, mark].map(isProcessRunning)).toEqual([true, true]);
  child.kill("SIGKILL");
  await once(child, "close");
  expect([own, mark].map(isProcessGone)).toEqual([false, true]);
  expect([own, mark].map(isProcessRunning)).toEqual([true, false]);
});

test.skipIf(own === "").each([
  ["a process that got the id of an ended one", own.replace(/\.\d+@/, ".1@"), true],
  ["a process of another boot", own.replace(/@.+?\./, "@00000000."), false],
  ["a process of another container", own.replace(/\d+$/, "1"), false],
  ["garbage", "sleep", false],
  ["nothing", "", false],
])("judges %s", (_, mark, isGone) => {
  expect([isProcessGone(mark), isProcessRunning(mark)]).toEqual([isGone, false]);
});

test.skipIf(own === "")("finds the client above shells", () => {
  const script = `import { markClients } from ${JSON.stringify(new URL("./process-marks.ts", import.meta.url).pathname)};
    console.log(JSON.stringify(markClients(process.ppid)));`;
  const command = `sh -c '"$NODE" --input-type=module -e "$SCRIPT"; true'; true`;
  const environment = { ...process.env, NODE: process.execPath, SCRIPT: script, NODE_OPTIONS: "" };
  const { stdout } = spawnSync("bash", ["-c", command], { encoding: "utf8", env: environment });
  expect((JSON.parse(stdout) as string[])[0]).toBe(own);
  expect(markClients(process.pid, 1)).toEqual([own]);
});
