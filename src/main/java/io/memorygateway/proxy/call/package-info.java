/**
 * The course of one proxied call: attempts at targets until one answers, the answer passed on, and
 * its measurement.
 */
package io.memorygateway.proxy.call;
