/** The session of callers that give no name. Its current work is current for the project. */
export const NOBODY = "default";

/** Letters, digits and id punctuation, safe in a shell and on one line. */
const PATTERN = /^[\w.:@+-]{1,64}$/;

export const sessionName = (said: unknown): string => (typeof said === "string" && PATTERN.test(said) ? said : NOBODY);
