import { defineConfig } from "vitest/config";

const MODEL = "src/*/model/**/*.test.ts";
/** Tests of real git, real processes and clients. They are run by `npm run test:all` only. */
const SLOW_BESIDE_CODE = ["src/git/adapters/**/*.test.ts", "src/checking/adapters/runner/**/*.test.ts"];
/** Rules of operations on the engine in memory, the laws, and one session per capability. */
const QUICK = ["test/{kit,laws,project}/**/*.test.ts", "test/transcripts.test.ts"];
const NO_TESTS = ["test/adopt/fixtures/**", "test/fixtures/**", "node_modules/**"];

/**
 * `npm test` runs `model` and `quick`. `npm run test:all` adds `slow`, and `npm run test:full` also strikes every kill
 * point and lets the large crowds run.
 */
export default defineConfig({
  ssr: { resolve: { conditions: ["tenon-source"] } },
  test: {
    reporters: ["default", "./test/kit/closing-line.ts"],
    // Only a hanging test needs a limit. Shorter ones would make results depend on how busy the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
    projects: [
      // Pure code leaves nothing behind, so its tests share a process, which is three times as fast.
      { extends: true, test: { name: "model", include: [MODEL], isolate: false } },
      {
        extends: true,
        test: {
          name: "quick",
          include: ["src/**/*.test.ts", ...QUICK],
          exclude: [MODEL, ...SLOW_BESIDE_CODE, ...NO_TESTS],
          globalSetup: "test/kit/build.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: [...SLOW_BESIDE_CODE, "demo/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...QUICK, ...NO_TESTS],
          globalSetup: "test/kit/build.ts",
        },
      },
    ],
  },
});
