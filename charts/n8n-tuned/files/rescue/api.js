'use strict';
/* What the rescue asks n8n's public API. Needs n8n 2.41: older ones do not list crashed executions. */
const http = require('node:http');
const https = require('node:https');

const PAGE = 250;
/** Milliseconds for an answer. A retry has none: it is answered when it has ended. */
const DEADLINE = 30_000;

/** An answer that is no success. */
class ApiError extends Error {
  constructor(method, path, status, text) {
    super(`${method} ${path}: ${status} ${text.slice(0, 200)}`);
    this.status = status;
  }
}

/** Sends a request with a JSON body, if there is one; resolves to status and text. `deadline`: milliseconds, or undefined. */
function send(url, { method = 'GET', headers = {}, body, deadline = DEADLINE }) {
  return new Promise((resolve, reject) => {
    const text = body && JSON.stringify(body);
    const { request } = url.startsWith('https:') ? https : http;
    const asked = request(url, {
      method,
      headers: { accept: 'application/json', ...(text && { 'content-type': 'application/json' }), ...headers },
    });
    const timer =
      deadline && setTimeout(() => asked.destroy(new Error(`no answer within ${deadline / 1000} s`)), deadline);
    asked.on('close', () => clearTimeout(timer));
    asked.on('error', reject);
    asked.on('response', (answer) => {
      const parts = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode, text: Buffer.concat(parts).toString() }));
    });
    asked.end(text);
  });
}

/** n8n's public API. All methods reject with ApiError, or with the error of the connection. */
class Api {
  /** @param url where the API is, such as http://n8n-tuned-main:5678/api/v1 */
  constructor(url, key) {
    Object.assign(this, { url, key });
  }

  async #ask(path, { method = 'GET', ...rest } = {}) {
    const { status, text } = await send(`${this.url}${path}`, {
      method,
      headers: { 'x-n8n-api-key': this.key },
      ...rest,
    });
    if (status < 200 || status > 299) throw new ApiError(method, path, status, text);
    return JSON.parse(text);
  }

  /** All items of a list, page by page, until `isEnough` says of a page that no later one is needed. */
  async #list(path, query, isEnough = () => false) {
    const items = [];
    let cursor;
    do {
      const given = { ...query, limit: PAGE, ...(cursor && { cursor }) };
      const { data, nextCursor } = await this.#ask(`${path}?${new URLSearchParams(given)}`);
      items.push(...data);
      cursor = isEnough(data) ? undefined : nextCursor;
    } while (cursor);
    return items;
  }

  /** Ids of the workflows with a tag. */
  async taggedWorkflows(tag) {
    const workflows = await this.#list('/workflows', { tags: tag });
    return new Set(workflows.map(({ id }) => String(id)));
  }

  /**
   * Executions without their data, the newest first.
   * @param query of the API: status, workflowId, startedBefore
   */
  executions = (query, isEnough) => this.#list('/executions', query, isEnough);

  /** Starts an execution again, from its saved input and with the workflow as it was; resolves to the status of the retry when it has ended. */
  async retry(id) {
    const { status } = await this.#ask(`/executions/${id}/retry`, {
      method: 'POST',
      body: { loadWorkflow: false },
      deadline: undefined,
    });
    return status;
  }
}

module.exports = { Api, ApiError, send };
