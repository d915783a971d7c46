import exec from 'k6/execution';
import http from 'k6/http';

const TOKEN_HEADER = 'x-load-target-token';

// k6 takes a redirect for a success unless told otherwise.
http.setResponseCallback(http.expectedStatuses(200));

/**
 * A function that sends one request of the workload, with these values of its query, and returns k6's response.
 * The iterations of a scenario go to the URLs in turn.
 */
export function target({ path, method }, query, { urls, token, timeout }) {
  const queryString = Object.entries(query)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const addresses = urls.map((url) => url + path + (queryString && `?${queryString}`));
  const params = {
    headers: token ? { [TOKEN_HEADER]: token } : {},
    timeout: timeout * 1000,
    redirects: 0,
    responseType: 'text',
  };
  return () => http.request(method, addresses[exec.scenario.iterationInTest % addresses.length], null, params);
}
