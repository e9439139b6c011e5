/** Settings and filters of both ports. */
package io.memorygateway.http.setup;
