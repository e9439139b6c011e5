/**
 * What a request needs before it is served: a permit to work, heap for its body, a thread for long
 * work.
 */
package io.memorygateway.http.admission;
