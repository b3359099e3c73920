import type { CheckingEngine } from "#checking/operations/engine.ts";

export type RoadmapEngine = CheckingEngine;
