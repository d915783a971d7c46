/** Whether the name of a variable, or of a key of a Secret, says that its value is a secret. */
export const looksSecret = (name: string): boolean => /pass|secret|token|key|credential/i.test(name);
