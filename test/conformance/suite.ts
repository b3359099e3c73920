import { spawn } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../kit/folder.ts";

const SUITE = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));

/** What the suite found, scenario by scenario: the ids of its checks. */
export interface Outcome {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly warned: readonly string[];
}

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
}

/** Runs the official suite in a process of its own. Its exit code is not asked: what counts is each check. */
export async function runSuite(url: string, which: readonly string[]): Promise<Record<string, Outcome>> {
  using folder = temporaryFolder();
  const child = spawn(process.execPath, [SUITE, "server", "--url", url, ...which, "--output-dir", folder.path]);
  child.stdout.resume();
  child.stderr.resume();
  await new Promise((resolve) => child.on("close", resolve));
  return Object.fromEntries(
    fs.readdirSync(folder.path).map((name) => [getScenario(name), getOutcome(folder.path, name)]),
  );
}

/** `server-tools-list-2026-01-31T12-00-00-000Z` holds the checks of `tools-list`. */
const getScenario = (folder: string): string => folder.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, "");

function getOutcome(folder: string, name: string): Outcome {
  const checks = JSON.parse(fs.readFileSync(join(folder, name, "checks.json"), "utf8")) as Check[];
  const ids = (status: Check["status"]): string[] =>
    [...new Set(checks.filter((check) => check.status === status).map((check) => check.id))].toSorted();
  return { passed: ids("SUCCESS"), failed: ids("FAILURE"), warned: ids("WARNING") };
}
