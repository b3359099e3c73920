import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import { ScriptedAgents } from "./agents.ts";
import {
  playDesignChapter,
  playRepositoryChapter,
  playRoadmapChapter,
  playBugfixChapter,
  playFixChapter,
  playRollbackChapter,
  playCrashChapter,
  playLiarChapter,
  playReviewChapter,
  playHandoverChapter,
  playProofChapter,
} from "./chapters.ts";
import { type DemoWorld, DemoStage, type StageOptions } from "./stage.ts";

export interface DemoOptions extends StageOptions {
  readonly keep: boolean;
}

type DemoChapter = (stage: DemoStage, agents: ScriptedAgents) => Promise<void>;

const DEMO_CHAPTERS: readonly DemoChapter[] = [
  playRepositoryChapter,
  playRoadmapChapter,
  playDesignChapter,
  playLiarChapter,
  playBugfixChapter,
  playRollbackChapter,
  playFixChapter,
  playCrashChapter,
  playReviewChapter,
  playProofChapter,
  playHandoverChapter,
];
const COMPLETION_PROMISE = "The story could be told to its end";

/** Plays the demo in a temporary folder. Returns whether every promise was kept. An abort leaves nothing behind. */
export async function playDemo(
  world: DemoWorld,
  wish: DemoOptions,
  stopped: AbortSignal,
  story: readonly DemoChapter[] = DEMO_CHAPTERS,
): Promise<boolean> {
  const folder = createDemoFolder();
  const stage = new DemoStage(world, folder, wish);
  const stop = (): void => void stage.end();
  stopped.addEventListener("abort", stop);
  try {
    world.out(`${(await stage.text("story", "opening")).trimEnd()}\n`);
    const agents = new ScriptedAgents(stage, "morning");
    for (const chapter of story) await chapter(stage, agents);
  } catch (error) {
    if (!stopped.aborted)
      stage.promises.break(COMPLETION_PROMISE, error instanceof Error ? error.message : String(error));
  } finally {
    stopped.removeEventListener("abort", stop);
    await stage.end();
    if (!wish.keep) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  if (!stopped.aborted) printDemoSummary(world, stage, wish.keep);
  return stage.promises.areKept;
}

function createDemoFolder(): string {
  try {
    return fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-demo-")));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new Fault("files.unwritable", {
      what: "The demo was not played.",
      why: `No folder can be made in ${sanitizeText(os.tmpdir(), 200)}, where temporary files go: the system said ${code}.`,
      fix: "Set TMPDIR to a folder that you may write to, and run the same command again.",
    });
  }
}

function printDemoSummary(world: DemoWorld, { promises, root }: DemoStage, isKept: boolean): void {
  const broken = promises.all.filter(({ instead }) => instead !== undefined);
  const title =
    broken.length === 0
      ? `${formatCount(promises.all.length, "promise")}, all kept:`
      : `${broken.length} of ${formatCount(promises.all.length, "promise")} broken:`;
  const lines = promises.all.map(({ promise, instead }) => `  ${instead === undefined ? "✓" : "✗"} ${promise}`);
  const place = isKept ? [`\nThe repository stays in ${root} for you to look at.`] : [];
  world.out(`\n${[title, ...lines, ...place].join("\n")}\n`);
}
