package io.memorygateway.proxy.call;

import static java.util.Objects.requireNonNull;

import io.memorygateway.json.JsonValue;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.secret.SecretBytes;
import org.eclipse.jetty.http.HttpFields;

/**
 * An upstream's own error, in the gateway's error format and without the provider's key.
 *
 * @param headers as the upstream sent them
 * @param secret the key that has to be removed from these
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record ErrorAnswer(int status, byte[] body, HttpFields headers, SecretBytes secret) {

  String member(String name) {
    try {
      return requireNonNull(JsonValue.parse(body).get("error")).text(name);
    } catch (MalformedJsonException e) {
      throw new IllegalStateException("the gateway wrote an error that is no JSON", e);
    }
  }
}
