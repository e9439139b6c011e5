/**
 * Messages in no format's words: a stored message, the parts of its content, and the texts and
 * media in them.
 */
package io.memorygateway.format.content;
