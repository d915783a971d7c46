'use strict';
/** The control: an Express server, as most Node services are. */
const express = require('express');
const { noop, count, serve } = require('./work.cjs');

const send = (response, { status, body }) => response.status(status).json(body);

serve(
  express()
    .get('/webhook/noop', (_, response) => send(response, noop()))
    .get('/webhook/count', ({ query }, response) => send(response, count(query.n ?? null))),
);
