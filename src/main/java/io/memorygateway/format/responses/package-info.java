/** OpenAI Responses. */
package io.memorygateway.format.responses;
