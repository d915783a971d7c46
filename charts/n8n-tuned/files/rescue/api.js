'use strict';
/* What the rescue asks n8n's public API. Needs n8n 2.41: older ones do not list crashed executions. */
const http = require('node:http');
const https = require('node:https');

/** Executions of a page; the API allows no more. Workflows come with their nodes, so that fewer fit into the memory. */
const [EXECUTIONS, WORKFLOWS] = [250, 20];
/** Milliseconds for an answer. */
const DEADLINE = 30_000;

/** An answer that is no success. */
class ApiError extends Error {
  constructor(method, path, status, text) {
    super(`${method} ${path}: ${status} ${text.slice(0, 200)}`);
    this.status = status;
  }
}

/**
 * Sends a request with a JSON body, if there is one; resolves to status and text. Rejects with the error of the connection, or if
 * there is no answer in time.
 * @param deadline milliseconds; Infinity: none
 * @param discards whether to throw the text of a success away
 */
function send(url, { method = 'GET', headers = {}, body, deadline = DEADLINE, discards = false }) {
  return new Promise((resolve, reject) => {
    const text = body && JSON.stringify(body);
    const { request } = url.startsWith('https:') ? https : http;
    const asked = request(url, {
      method,
      headers: { accept: 'application/json', ...(text && { 'content-type': 'application/json' }), ...headers },
    });
    const late = () => asked.destroy(new Error(`no answer within ${deadline / 1000} s`));
    const timer = Number.isFinite(deadline) ? setTimeout(late, deadline) : undefined;
    asked.on('close', () => clearTimeout(timer));
    asked.on('error', reject);
    asked.on('response', (answer) => {
      const parts = [];
      const isKept = !discards || !isSuccess(answer.statusCode);
      answer.on('data', (part) => isKept && parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode, text: Buffer.concat(parts).toString() }));
    });
    asked.end(text);
  });
}

const isSuccess = (status) => status >= 200 && status <= 299;

/** Wait, and nodes that send a message and wait for its answer. */
const isWaiting = ({ type = '', parameters }) => type.endsWith('.wait') || parameters?.operation === 'sendAndWait';

/** n8n's public API. All methods reject with ApiError, or with the error of the connection. */
class Api {
  /**
   * @param url where the API is, such as http://n8n-tuned-main:5678/api/v1
   * @param deadline milliseconds for an answer
   */
  constructor(url, key, deadline = DEADLINE) {
    Object.assign(this, { url, key, deadline });
  }

  async #ask(path, { method = 'GET', ...rest } = {}) {
    const headers = { 'x-n8n-api-key': this.key };
    const { status, text } = await send(`${this.url}${path}`, { method, headers, deadline: this.deadline, ...rest });
    if (!isSuccess(status)) throw new ApiError(method, path, status, text);
    return text;
  }

  /**
   * The items of a list that are to be kept, page by page, until `isEnough` says of a page that no later one is needed. A list may be
   * much longer than what is kept of it.
   */
  async #list(path, query, isEnough = () => false, isKept = () => true) {
    const items = [];
    let cursor;
    do {
      const parameters = new URLSearchParams({ ...query, ...(cursor && { cursor }) });
      const { data, nextCursor } = JSON.parse(await this.#ask(`${path}?${parameters}`));
      for (const item of data) if (isKept(item)) items.push(item);
      cursor = isEnough(data) ? undefined : nextCursor;
    } while (cursor);
    return items;
  }

  /** The workflows with a tag, by id: whether each has nodes that wait. */
  async taggedWorkflows(tag) {
    const query = { tags: tag, limit: WORKFLOWS, excludePinnedData: true };
    const workflows = await this.#list('/workflows', query);
    return new Map(workflows.map(({ id, nodes = [] }) => [String(id), { waits: nodes.some(isWaiting) }]));
  }

  /** An execution as it is now, without its data. */
  execution = async (id) => JSON.parse(await this.#ask(`/executions/${id}`));

  /**
   * Executions without their data, the newest first.
   * @param query of the API: status, workflowId, startedBefore
   */
  executions = (query, isEnough, isKept) =>
    this.#list('/executions', { ...query, limit: EXECUTIONS }, isEnough, isKept);

  /**
   * Starts an execution again, from its saved input and with the workflow as it was. Resolves when the retry has ended, however long
   * that takes. The answer has all its data, which may be large.
   */
  async retry(id) {
    const body = { loadWorkflow: false };
    await this.#ask(`/executions/${id}/retry`, { method: 'POST', body, deadline: Infinity, discards: true });
  }
}

module.exports = { Api, ApiError, isSuccess, send };
