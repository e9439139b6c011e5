/** How requests arrive: bounds on slow heads and bodies, decompression, and clients that leave. */
package io.memorygateway.http.arrival;
