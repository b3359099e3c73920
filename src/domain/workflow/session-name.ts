/** The session of callers that give no name. Its current work is current for the project. */
export const DEFAULT_SESSION_ID = "default";

/** Letters, digits and id punctuation, safe in a shell and on one line. */
const SESSION_NAME_PATTERN = /^[\w.:@+-]{1,64}$/;

export const parseSessionName = (said: unknown): string =>
  typeof said === "string" && SESSION_NAME_PATTERN.test(said) ? said : DEFAULT_SESSION_ID;
