/** The option of Node that loads the chart's isolates.js (charts/n8n-tuned/templates/hooks/_hooks.tpl). */
const PRELOAD = '--require=/opt/n8n-tuned/isolates.js';

/** Whether Node loads the chart's isolates.js with these options, so that isolates cost less. */
export const preloadsIsolates = (nodeOptions: string): boolean => nodeOptions.split(' ').includes(PRELOAD);

/** The options without that one. */
export const withoutPreload = (nodeOptions: string): string =>
  nodeOptions
    .split(' ')
    .filter((option) => option !== PRELOAD)
    .join(' ');
