package io.memorygateway.http.errors;

import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

/**
 * Responses of known length. Jersey's own buffering is off, because it would hold back streams; the
 * length that it would have found is given here, so that ordinary responses are not chunked.
 */
public final class JsonResponse {
  private JsonResponse() {}

  /**
   * Returns a response of JSON.
   *
   * @param body a whole JSON text, UTF-8
   */
  public static Response.ResponseBuilder of(int status, byte[] body) {
    return Response.status(status)
        .type(MediaType.APPLICATION_JSON_TYPE)
        .header(HttpHeaders.CONTENT_LENGTH, body.length)
        .entity(body);
  }

  public static Response ok(byte[] body) {
    return of(200, body).build();
  }

  public static Response of(ApiError error) {
    Response.ResponseBuilder response = of(error.status(), error.toJson());
    if (error.retryAfterSeconds() != null) {
      response.header(HttpHeaders.RETRY_AFTER, error.retryAfterSeconds());
    }
    error.headers().forEach(response::header);
    return response.build();
  }
}
