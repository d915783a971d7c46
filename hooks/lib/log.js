'use strict';
/* Writes lines to n8n's log. n8n's own logger is not used, because hooks cannot rely on it before they have checked this n8n. */

/** The line in n8n's format: text, or JSON if N8N_LOG_FORMAT is json. */
function format(level, message, env = process.env, now = new Date()) {
  const text = `n8n-tuned: ${message}`;
  if (env.N8N_LOG_FORMAT !== 'json') return text;
  return JSON.stringify({ level, message: text, timestamp: now.toISOString() });
}

const info = (message) => console.log(format('info', message));
const warn = (message) => console.warn(format('warn', message));

module.exports = { format, info, warn };
