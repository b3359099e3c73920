import { defineConfig } from "vitest/config";

export default defineConfig({
  ssr: { resolve: { conditions: ["tenon-source"] } },
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["test/adopt/fixtures/**", "test/fixtures/**", "node_modules/**"],
    globalSetup: "test/kit/build.ts",
    reporters: ["default", "./test/kit/closing-line.ts"],
    testTimeout: 60_000,
    maxWorkers: 2,
  },
});
