/** Apart from the schemas, because hooks load the roles and must not load zod. */
export const REVIEW_KINDS = ["design", "impl", "dead-code"] as const;
export type ReviewKind = (typeof REVIEW_KINDS)[number];
