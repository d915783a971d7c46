/** The anchor that GitHub gives to a heading. For a second heading with the same text, GitHub appends `-1`, and so on. */
export const headingSlug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .replace(/\s/g, '-');
