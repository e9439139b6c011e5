// Requests to the admin API. A token, where one is needed, stays in this tab: a cookie would be sent
// to every port of the host, and nothing here may be sent without the page's doing.
// Without the name and password that the address of the page may have: no request may have them there.
const BASE = Object.assign(new URL('admin/api/', document.baseURI), { username: '', password: '' });
const TIME_LIMIT_MS = 20_000;
const TOKEN = 'memory-gateway-admin-token';
const OF_A_PROXY = 'If a proxy asks for a login, load the page again.';
const NOT_OURS = `The answer is none of the gateway's, or was cut off. ${OF_A_PROXY}`;

/** Answer that is no success, or none at all (status 0). */
export class ApiFailure extends Error {
  constructor(status, message, { type = '', requestId = '', retryAfter = 0 } = {}) {
    super(message);
    this.status = status;
    this.type = type;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

export const login = {
  get hasToken() {
    return sessionStorage.getItem(TOKEN) !== null;
  },
  keep(token) {
    // No header may have other characters, as "…" at the end of a token that was copied from a list.
    sessionStorage.setItem(TOKEN, token.replace(/[^!-~]/g, '?'));
  },
  forget() {
    sessionStorage.removeItem(TOKEN);
  },
};

/** Address of a resource; parameters that are empty are left out. */
export function address(path, query = {}) {
  const url = new URL(path, BASE);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') {
      url.searchParams.set(name, value);
    }
  }
  return url;
}

/** Path of segments, each escaped. An address would lose the segments "." and "..", and lead elsewhere. */
export const path = (...segments) => segments.map((segment) => (/^\.\.?$/.test(segment) ? `%1F${segment}` : encodeURIComponent(segment))).join('/');

/** Answer to a request, whatever it holds. */
export async function request(method, resource, { query, body, signal, accept = 'application/json', timeLimit = TIME_LIMIT_MS } = {}) {
  const headers = { Accept: accept };
  const token = sessionStorage.getItem(TOKEN);
  if (token) {
    headers.Authorization = `Bearer ${token}`;
  }
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  const limit = AbortSignal.timeout(timeLimit);
  let response;
  try {
    response = await fetch(address(resource, query), {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      cache: 'no-store',
      redirect: 'error',
    });
  } catch (failure) {
    if (signal?.aborted) {
      throw failure;
    }
    throw new ApiFailure(0, limit.aborted ? 'The gateway did not answer in time.' : `The gateway cannot be reached. ${OF_A_PROXY}`);
  }
  if (!response.ok) {
    throw await failureOf(response);
  }
  if (response.headers.get('Content-Type')?.startsWith('text/html')) {
    throw new ApiFailure(0, NOT_OURS);
  }
  return response;
}

/** JSON of an answer; null if it has no body. */
export async function call(method, resource, options) {
  const response = await request(method, resource, options);
  if (response.status === 204) {
    return null;
  }
  try {
    return await response.json();
  } catch {
    throw new ApiFailure(0, NOT_OURS);
  }
}

export const get = (resource, query, signal) => call('GET', resource, { query, signal });

async function failureOf(response) {
  let error = {};
  try {
    error = (await response.json()).error ?? {};
  } catch {
    // Not an answer of the gateway, but of something in between.
  }
  if (response.status === 401) {
    window.dispatchEvent(new Event('login-needed'));
  }
  return new ApiFailure(response.status, error.message ?? `The answer was ${response.status}.`, {
    type: error.type,
    requestId: response.headers.get('X-Request-Id') ?? '',
    retryAfter: Number(response.headers.get('Retry-After')) || 0,
  });
}
