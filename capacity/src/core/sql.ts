/** A name in SQL, in double quotes, whatever it holds. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
