import type { Lead } from "./state.ts";

export function createEmptyLead(): Lead {
  return {
    features: new Map(),
    waves: new Map(),
    run: {
      isOn: false,
      isGated: false,
      stopped: null,
      goals: {},
      agreed: [],
      cap: null,
      spent: 0,
      onOverlap: "serialise",
    },
    reviews: new Map(),
    out: new Map(),
  };
}
