'use strict';
/** The bare control server: plain HTTP without a framework. */
const { noop, count, serve } = require('./work.cjs');

const NOT_FOUND = { status: 404, body: { error: 'not found; use /webhook/noop or /webhook/count?n=N' } };

function answer(url) {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  if (pathname === '/webhook/noop') return noop();
  return pathname === '/webhook/count' ? count(searchParams.get('n')) : NOT_FOUND;
}

serve((request, response) => {
  const { status, body } = answer(request.url);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
