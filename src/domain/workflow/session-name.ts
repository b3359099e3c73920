/** The session of those who give no name: what is current for it is so for the project. */
export const NOBODY = "default";

/** Letters, digits and the marks that ids are made of: nothing that a shell, a line or a reader could stumble over. */
const PATTERN = /^[\w.:@+-]{1,64}$/;

/** What a session is called; what could be no name is nobody's. */
export const sessionName = (said: unknown): string => (typeof said === "string" && PATTERN.test(said) ? said : NOBODY);
