export const CI_EXAMPLES = {
  github: ".github/workflows/tenon.yml",
  "pre-commit": ".pre-commit-config.yaml",
} as const;

export type CiExample = keyof typeof CI_EXAMPLES;
