export const PROJECT_VERDICTS = ["PASS", "PASS_WITH_WARNINGS", "FAIL"] as const;
export type ProjectVerdict = (typeof PROJECT_VERDICTS)[number];

export const CLARITY_DIMENSIONS = {
  target_users: { weight: 8, asks: 'Who are the users, by role and need? "Users" is no answer.' },
  core_functionality: { weight: 10, asks: "What does it do, step by step, for the most important case?" },
  data_model: { weight: 7, asks: "Which things does it keep, and how do they belong together?" },
  integrations: { weight: 6, asks: "Which other systems does it talk to, and what if they are down?" },
  edge_cases: { weight: 8, asks: "What goes wrong, and what happens then?" },
  security: { weight: 7, asks: "Who may do what, and what must nobody see?" },
  scale_performance: { weight: 5, asks: "How many, how fast, how large, in numbers?" },
  scope_boundaries: { weight: 9, asks: "What does it not do?" },
} as const;

export type ClarityDimension = keyof typeof CLARITY_DIMENSIONS;
export const CLARITY_DIMENSION_NAMES = Object.keys(CLARITY_DIMENSIONS) as ClarityDimension[];
