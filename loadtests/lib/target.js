import http from 'k6/http';

import { scenario } from './context.js';

const TOKEN_HEADER = 'x-load-target-token';

// k6 takes any answer below 400 for a success unless told otherwise.
http.setResponseCallback(http.expectedStatuses(200));

/**
 * A function that sends one request of the workload, with these values of its query, and returns k6's response.
 * The iterations of a scenario go to the URLs in turn.
 */
export function target({ path, method, body = null, headers = {}, expected }, query, { urls, token, timeout }) {
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
  return () => request(method, addresses[scenario().iterationInTest % addresses.length], body, params);
}
