/** The one error shape of contract §3, and how what is thrown becomes one. */
package io.memorygateway.http.errors;
