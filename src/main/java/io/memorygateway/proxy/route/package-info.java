/**
 * Where a call may go: endpoints, providers, routes and their targets, and the headers that cross.
 */
package io.memorygateway.proxy.route;
