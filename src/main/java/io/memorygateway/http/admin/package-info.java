/** The protection of the admin port. */
package io.memorygateway.http.admin;
