import { defineConfig } from "vitest/config";

const everywhere = { extends: true } as const;

export default defineConfig({
  ssr: { resolve: { conditions: ["tenon-source"] } },
  test: {
    reporters: ["default", "./test/kit/closing-line.ts"],
    testTimeout: 60_000,
    maxWorkers: 2,
    projects: [
      // What is pure leaves nothing behind: its tests share a process, which is three times as fast.
      { ...everywhere, test: { name: "domain", include: ["src/*/model/**/*.test.ts"], isolate: false } },
      {
        ...everywhere,
        test: {
          name: "whole",
          include: ["src/**/*.test.ts", "demo/**/*.test.ts", "test/**/*.test.ts"],
          exclude: ["src/*/model/**", "test/adopt/fixtures/**", "test/fixtures/**", "node_modules/**"],
          globalSetup: "test/kit/build.ts",
        },
      },
    ],
  },
});
