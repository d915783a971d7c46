/** Options of Node that load the chart's files before n8n (charts/n8n-tuned/templates/hooks/_hooks.tpl), with the name of the file. */
const PRELOAD = /^--require=\/opt\/n8n-tuned\/((?:isolates|sqlite)\.js)$/;

/** Names of the chart's files that Node loads before n8n with these options. */
export const preloaded = (nodeOptions: string): string[] =>
  nodeOptions.split(' ').flatMap((option) => PRELOAD.exec(option)?.[1] ?? []);

/** Whether isolates.js is among them, so that isolates cost less. */
export const preloadsIsolates = (nodeOptions: string): boolean => preloaded(nodeOptions).includes('isolates.js');

/** The options without those. */
export const withoutPreloads = (nodeOptions: string): string =>
  nodeOptions
    .split(' ')
    .filter((option) => !PRELOAD.test(option))
    .join(' ');
