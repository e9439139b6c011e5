/**
 * OpenAPI document of everything on the application port, and the page that shows it (contract §9).
 */
package io.memorygateway.openapi;
