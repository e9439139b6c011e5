package io.memorygateway.proxy;

import io.memorygateway.dialect.SecretBytes;
import org.eclipse.jetty.http.HttpFields;

/**
 * An upstream's own error, in the one envelope and without the provider's key.
 *
 * @param headers as the upstream sent them
 * @param secret what must not get out of these
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record ErrorAnswer(int status, byte[] body, HttpFields headers, SecretBytes secret) {}
