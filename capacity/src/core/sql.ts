/** Quotes any name for SQL: in double quotes, with those in the name doubled. */
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
