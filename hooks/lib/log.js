'use strict';
/* Lines in n8n's log. They do not go through n8n's own logger, which a hook cannot rely on before it has looked at this n8n. */

/** The line in n8n's format: text, or JSON where N8N_LOG_FORMAT asks for it. */
function format(level, message, env = process.env, now = new Date()) {
  const text = `n8n-tuned: ${message}`;
  if (env.N8N_LOG_FORMAT !== 'json') return text;
  return JSON.stringify({ level, message: text, timestamp: now.toISOString() });
}

const info = (message) => console.log(format('info', message));
const warn = (message) => console.warn(format('warn', message));

module.exports = { format, info, warn };
