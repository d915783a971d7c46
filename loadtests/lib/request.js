import http from 'k6/http';

import { currentScenario } from './context.js';

const TOKEN_HEADER = 'x-load-target-token';

// By default, k6 counts any status below 400 as a success.
http.setResponseCallback(http.expectedStatuses(200));

/**
 * Returns a function that sends one request of the workload and returns k6's response. Successive iterations of a scenario
 * call the URLs in turn.
 * @param entry    an entry of the catalogue, or the result of `readWebhook`
 * @param query    values of the query parameters
 * @param settings the result of `readSettings`; `timeout` in seconds
 */
export function createSender({ path, method, body = null, headers = {}, expected }, query, { urls, token, timeout }) {
  const queryString = Object.entries(query)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const addresses = urls.map((url) => url + path + (queryString && `?${queryString}`));
  const params = {
    headers: token ? { ...headers, [TOKEN_HEADER]: token } : headers,
    timeout: timeout * 1000,
    ...(expected && { responseCallback: http.expectedStatuses(expected.statuses) }),
  };
  const { request } = http;
  if (addresses.length === 1) return () => request(method, addresses[0], body, params);
  return () => request(method, addresses[currentScenario().iterationInTest % addresses.length], body, params);
}
