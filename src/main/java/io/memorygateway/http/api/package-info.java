/**
 * What every request and response of the public API has: paths, ids, headers, CORS, and errors of
 * requests that reach no resource.
 */
package io.memorygateway.http.api;
