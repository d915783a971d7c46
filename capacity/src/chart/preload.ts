/** Options of Node that load the chart's files before n8n (charts/n8n-tuned/templates/hooks/_hooks.tpl), with the name of the file. */
const PRELOAD = /^--require=\/opt\/n8n-tuned\/((?:lazy-character-table|full-code-cache|quiet-sqlite)\.js)$/;

/** Names of the chart's files that Node loads before n8n with these options. */
export const preloadedFiles = (nodeOptions: string): string[] =>
  nodeOptions.split(' ').flatMap((option) => PRELOAD.exec(option)?.[1] ?? []);

/** Whether the options load both files that make isolates cheaper. */
export const hasCheaperIsolates = (nodeOptions: string): boolean =>
  ['lazy-character-table.js', 'full-code-cache.js'].every((file) => preloadedFiles(nodeOptions).includes(file));

/** The options without those that load the chart's files. */
export const withoutPreloads = (nodeOptions: string): string =>
  nodeOptions
    .split(' ')
    .filter((option) => !PRELOAD.test(option))
    .join(' ');
