'use strict';
/** The control server on Express, a framework that most Node services use. */
const express = require('express');
const { noop, count, serve } = require('./work.cjs');

const send = (response, { status, body }) => response.status(status).json(body);

serve(
  express()
    .get('/webhook/noop', (_, response) => send(response, noop()))
    .get('/webhook/count', ({ query }, response) => send(response, count(query.n ?? null))),
);
