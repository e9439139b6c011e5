/** OpenAI Chat Completions. */
package io.memorygateway.format.chat;
