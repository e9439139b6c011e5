package io.memorygateway.http.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ThrownErrors;
import jakarta.ws.rs.NotAllowedException;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.zip.ZipException;
import org.eclipse.jetty.http.HttpException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract §3: whose fault an error is. */
class ErrorMappersTest {
  private static final ThrownErrors ERRORS =
      new ThrownErrors(failure -> DatabaseFailure.of(failure).isOutage());

  private static final ObjectMapper JSON = new ObjectMapper();

  /** There is nothing in it that could be written. */
  private static final class Opaque {}

  static Arguments[] thrown() {
    return new Arguments[] {
      Arguments.of(new IllegalStateException("zebra"), 500),
      Arguments.of(new AssertionError("zebra"), 500),
      Arguments.of(new RuntimeException(new ZipException("zebra")), 400),
      Arguments.of(new IOException(new RuntimeException(new TimeoutException("zebra"))), 408),
      Arguments.of(new RuntimeException(new HttpException.RuntimeException(413, "zebra")), 413),
      Arguments.of(new RuntimeException(new SQLTransientConnectionException("zebra")), 503),
      Arguments.of(new RuntimeException(new SQLException("zebra", "HY000", 1205)), 503),
      Arguments.of(new RuntimeException(new SQLException("zebra", "42000", 1064)), 500),
      Arguments.of(new RuntimeException(new ApiException(ApiError.notFound("Gone."))), 404),
    };
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void whatLiesBeneathDecides(Throwable thrown, int status) {
    check(new ErrorMappers.ForAnythingElse(ERRORS).toResponse(thrown), status);
  }

  @Test
  void headIsAllowedWhereGetIs() {
    var mapper = new ErrorMappers.ForWebApplicationException();
    Response readable = mapper.toResponse(refusing("DELETE", "GET", "OPTIONS"));
    assertThat(readable.getHeaderString("Allow").split("[, ]+"))
        .containsExactlyInAnyOrder("DELETE", "GET", "HEAD", "OPTIONS");
    Response other = mapper.toResponse(refusing("OPTIONS", "POST"));
    assertThat(other.getHeaderString("Allow")).doesNotContain("HEAD");
  }

  private static NotAllowedException refusing(String... allowed) {
    return new NotAllowedException(Response.status(405).allow(allowed).build());
  }

  @Test
  void jsonThatTheCallerSentIsTheCallersFault() {
    var malformed =
        catchThrowableOfType(JsonProcessingException.class, () -> JSON.readTree("{zebra"));
    check(new ErrorMappers.ForJson(ERRORS).toResponse(malformed), 400);
    var illTyped =
        catchThrowableOfType(
            JsonProcessingException.class, () -> JSON.readValue("\"zebra\"", Map.class));
    check(new ErrorMappers.ForJson(ERRORS).toResponse(illTyped), 400);
  }

  @Test
  void jsonThatCannotBeWrittenIsOurs() {
    var unwritable =
        catchThrowableOfType(
            JsonProcessingException.class, () -> JSON.writeValueAsString(new Opaque()));
    check(new ErrorMappers.ForJson(ERRORS).toResponse(unwritable), 500);
  }

  private static void check(Response response, int status) {
    assertThat(response.getStatus()).isEqualTo(status);
    assertThat(response.getMediaType()).hasToString("application/json");
    assertThat(new String((byte[]) response.getEntity(), java.nio.charset.StandardCharsets.UTF_8))
        .startsWith("{\"error\":{")
        .doesNotContain("zebra");
  }
}
