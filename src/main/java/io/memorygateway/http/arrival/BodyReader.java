package io.memorygateway.http.arrival;

import static java.util.Objects.requireNonNull;

import com.google.common.primitives.Bytes;
import com.google.common.primitives.Ints;
import io.memorygateway.concurrent.HeapBudget;
import io.memorygateway.http.admission.RequestPermit;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorCatalogue;
import io.memorygateway.json.ValueCount;
import jakarta.inject.Provider;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.ext.MessageBodyReader;
import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the bodies of requests as bytes, within the {@link HeapBudget}: those that have arrived at
 * once, others piece by piece.
 */
@Consumes(MediaType.WILDCARD)
public final class BodyReader implements MessageBodyReader<byte[]> {
  private static final int FIRST_PIECE = 64 << 10;
  private static final int FIRST_OF_UNKNOWN = 8 << 10;
  private static final int MAX_PIECE = 1 << 20;

  /** Bytes of a body from which on its values are counted. */
  private static final int VALUES_COUNTED = 16 << 10;

  /** Heap bytes for each byte of the body that are reserved for parsing it. */
  private static final int PARSING_HEAP_PER_BYTE = 4;

  private static final Duration HEAP_TIMEOUT = Duration.ofSeconds(5);

  @Context private @Nullable Provider<HttpServletRequest> servletRequest;

  @Override
  public boolean isReadable(
      Class<?> type, Type genericType, Annotation[] annotations, MediaType mediaType) {
    return type == byte[].class;
  }

  @Override
  public byte[] readFrom(
      Class<byte[]> type,
      Type genericType,
      Annotation[] annotations,
      MediaType mediaType,
      MultivaluedMap<String, String> headers,
      InputStream in)
      throws IOException {
    HttpServletRequest request = requireNonNull(servletRequest).get();
    return readWhole(in, headers.getFirst(HttpHeaders.CONTENT_LENGTH), request);
  }

  /** Reads the body of a request that Jersey does not see. */
  public static byte[] read(HttpServletRequest request) throws IOException {
    return readWhole(
        request.getInputStream(), request.getHeader(HttpHeaders.CONTENT_LENGTH), request);
  }

  private static byte[] readWhole(
      InputStream in, @Nullable String contentLength, HttpServletRequest request)
      throws IOException {
    RequestReservation reservation = RequestReservation.of(request);
    int length = length(contentLength);
    byte[] body;
    if (length < 0 || in.available() < length) {
      RequestPermit.of(request).pause();
      int first = length < 0 ? FIRST_OF_UNKNOWN : Math.min(length, FIRST_PIECE);
      body = read(in, length, first, reservation);
      RequestPermit.of(request).resume();
    } else {
      body = read(in, length, Math.max(1, length), reservation);
    }
    reserveValues(body, reservation);
    return body;
  }

  /**
   * Reserves heap for the values of a body: many short ones take many times its length when parsed.
   */
  private static void reserveValues(byte[] body, RequestReservation reservation) {
    if (body.length >= VALUES_COUNTED) {
      long missing = ValueCount.heapOf(body) - (long) PARSING_HEAP_PER_BYTE * body.length;
      if (missing > 0 && !reservation.awaitRequest(missing, HEAP_TIMEOUT)) {
        throw RequestReservation.refused();
      }
    }
  }

  /**
   * Reads a body to its end, and reserves heap for what is there and as much again at most,
   * whatever length is announced: who sends it slowly holds little.
   *
   * @param length announced; negative if it is not known
   * @param first bytes to expect at once
   */
  public static byte[] read(InputStream in, int length, int first, RequestReservation reservation)
      throws IOException {
    List<byte[]> pieces = new ArrayList<>();
    int total = 0;
    int size = first;
    while (true) {
      reservation.addRequest(size);
      byte[] piece = new byte[size];
      int read = in.readNBytes(piece, 0, size);
      total = Math.addExact(total, read);
      if (read < size) {
        if (read > 0) {
          pieces.add(Arrays.copyOf(piece, read));
        }
        reservation.shrinkRequestTo((long) total * RequestReservation.REQUEST_COST);
        return join(pieces);
      }
      pieces.add(piece);
      if (total == length) {
        // To the end, so that errors behind the body are noticed.
        if (in.read() >= 0) {
          throw new ApiException(ErrorCatalogue.forStatus(400));
        }
        return join(pieces);
      }
      size = Math.min(Math.min(total, MAX_PIECE), length > total ? length - total : MAX_PIECE);
    }
  }

  private static byte[] join(List<byte[]> pieces) {
    return pieces.size() == 1 ? pieces.get(0) : Bytes.concat(pieces.toArray(byte[][]::new));
  }

  /** Returns -1 if the length is not known. */
  private static int length(@Nullable String contentLength) {
    Integer length = contentLength == null ? null : Ints.tryParse(contentLength.strip());
    return length == null ? -1 : length;
  }
}
