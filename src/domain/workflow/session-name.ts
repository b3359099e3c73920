import { NOBODY } from "./record.ts";

/** Letters, digits and the marks that ids are made of: nothing that a shell, a line or a reader could stumble over. */
const PATTERN = /^[\w.:@+-]{1,64}$/;

/** What a session is called; what could be no name is nobody's. */
export const sessionName = (said: unknown): string => (typeof said === "string" && PATTERN.test(said) ? said : NOBODY);
