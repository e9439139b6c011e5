/** The OpenAPI document of everything on the application port (contract §9). */
package io.memorygateway.openapi;
