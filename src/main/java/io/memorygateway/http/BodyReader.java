package io.memorygateway.http;

import static java.util.Objects.requireNonNull;

import io.memorygateway.concurrent.HeapBudget;
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
 * Reads the bodies of requests as bytes, within the {@link HeapBudget}: those of known length in
 * one array, others piece by piece.
 */
@Consumes(MediaType.WILDCARD)
public final class BodyReader implements MessageBodyReader<byte[]> {
  private static final int FIRST_CHUNK = 8 << 10;
  private static final int MAX_CHUNK = 1 << 20;

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
  static byte[] read(HttpServletRequest request) throws IOException {
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
      body = read(in, length, reservation);
      RequestPermit.of(request).resume();
    } else {
      body = read(in, length, reservation);
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

  private static byte[] read(InputStream in, int length, RequestReservation reservation)
      throws IOException {
    List<byte[]> pieces = new ArrayList<>();
    if (length >= 0) {
      reservation.addRequest(length);
      byte[] body = new byte[length];
      int read = in.readNBytes(body, 0, length);
      // To the end, so that errors behind the body are noticed.
      int next = in.read();
      if (next < 0) {
        return read == length ? body : Arrays.copyOf(body, read);
      }
      pieces.add(body);
      pieces.add(new byte[] {(byte) next});
    }
    return readOn(in, pieces, reservation);
  }

  /** Returns -1 if the length is not known. */
  private static int length(@Nullable String contentLength) {
    try {
      return contentLength == null ? -1 : Integer.parseInt(contentLength.strip());
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private static byte[] readOn(InputStream in, List<byte[]> pieces, RequestReservation reservation)
      throws IOException {
    int size = FIRST_CHUNK;
    while (true) {
      byte[] piece = new byte[size];
      int read = in.readNBytes(piece, 0, size);
      reservation.addRequest(read);
      if (read < size) {
        pieces.add(Arrays.copyOf(piece, read));
        return join(pieces);
      }
      pieces.add(piece);
      size = Math.min(size * 2, MAX_CHUNK);
    }
  }

  private static byte[] join(List<byte[]> pieces) {
    if (pieces.size() == 1) {
      return pieces.get(0);
    }
    byte[] body =
        new byte[pieces.stream().mapToInt(piece -> piece.length).reduce(0, Math::addExact)];
    int at = 0;
    for (byte[] piece : pieces) {
      System.arraycopy(piece, 0, body, at, piece.length);
      at += piece.length;
    }
    return body;
  }
}
