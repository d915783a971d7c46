/** The anchor that GitHub gives to a heading, from its text. A second heading of that text gets `-1` after it, and so on. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .replace(/\s/g, '-');
