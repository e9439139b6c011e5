package io.memorygateway.http.api;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Header fields of a request that Jetty's parser refused after reading them. Jetty makes a request
 * without header fields of it, but the connection still has those that arrived before the fault;
 * there is no public access to them.
 */
final class RefusedRequest {
  private static final Logger LOGGER = LoggerFactory.getLogger(RefusedRequest.class);
  private static final @Nullable VarHandle FIELDS_READ = find();

  /** Jetty's name for a request whose first line it could not read. */
  private static final String UNREAD = "/badMessage";

  private RefusedRequest() {}

  /** Returns the request's header fields; of a refused one, those that could be read. */
  static HttpFields headers(Request request) {
    HttpFields fields = request.getHeaders();
    boolean refused = fields.size() == 0 && !UNREAD.equals(request.getHttpURI().getPath());
    if (refused
        && FIELDS_READ != null
        && request.getConnectionMetaData().getConnection() instanceof HttpConnection connection) {
      return (HttpFields) FIELDS_READ.get(connection);
    }
    return fields;
  }

  private static @Nullable VarHandle find() {
    try {
      return MethodHandles.privateLookupIn(HttpConnection.class, MethodHandles.lookup())
          .findVarHandle(HttpConnection.class, "_headerBuilder", HttpFields.Mutable.class);
    } catch (ReflectiveOperationException e) {
      // Another version of Jetty: such requests get a generated id.
      LOGGER.debug("The header fields of refused requests are out of reach", e);
      return null;
    }
  }
}
