package io.memorygateway.http;

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
import java.io.OutputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the bodies of requests as bytes, within the {@link HeapBudget}: of a known length all at
 * once, others as they grow.
 */
@Consumes(MediaType.WILDCARD)
public final class BodyReader implements MessageBodyReader<byte[]> {
  private static final int FIRST_PIECE = 8 << 10;
  private static final int LARGEST_PIECE = 1 << 20;

  /** Bytes of a body from which on its values are counted. */
  private static final int VALUES_COUNTED = 16 << 10;

  /** Heap for each byte that has been reserved for parsing the body. */
  private static final int COVERED = 4;

  private static final Duration PATIENCE = Duration.ofSeconds(5);

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
    BodyReservation reservation =
        servletRequest == null
            ? BodyReservation.unbounded()
            : BodyReservation.of(servletRequest.get());
    try {
      byte[] body = read(in, length(headers.getFirst(HttpHeaders.CONTENT_LENGTH)), reservation);
      reserveValues(body, reservation);
      return body;
    } catch (ApiException refused) {
      // Most clients look for an answer only when they have sent all: it must not be a reset.
      in.transferTo(OutputStream.nullOutputStream());
      throw refused;
    }
  }

  /** A body of many short values takes many times its length when it is parsed. */
  private static void reserveValues(byte[] body, BodyReservation reservation) {
    if (body.length >= VALUES_COUNTED) {
      long missing = ValueCount.heapOf(body) - (long) COVERED * body.length;
      if (missing > 0 && !reservation.awaitRequest(missing, PATIENCE)) {
        throw BodyReservation.refused();
      }
    }
  }

  private static byte[] read(InputStream in, int length, BodyReservation reservation)
      throws IOException {
    List<byte[]> pieces = new ArrayList<>();
    if (length >= 0) {
      reservation.addRequest(length);
      byte[] body = new byte[length];
      int read = in.readNBytes(body, 0, length);
      // To the end, so that what is wrong behind the body is seen.
      int next = in.read();
      if (next < 0) {
        return read == length ? body : Arrays.copyOf(body, read);
      }
      pieces.add(body);
      pieces.add(new byte[] {(byte) next});
    }
    return readOn(in, pieces, reservation);
  }

  /** -1 if it is not told. */
  private static int length(@Nullable String contentLength) {
    try {
      return contentLength == null ? -1 : Integer.parseInt(contentLength.strip());
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private static byte[] readOn(InputStream in, List<byte[]> pieces, BodyReservation reservation)
      throws IOException {
    int size = FIRST_PIECE;
    while (true) {
      byte[] piece = new byte[size];
      int read = in.readNBytes(piece, 0, size);
      reservation.addRequest(read);
      if (read < size) {
        pieces.add(Arrays.copyOf(piece, read));
        return join(pieces);
      }
      pieces.add(piece);
      size = Math.min(size * 2, LARGEST_PIECE);
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
