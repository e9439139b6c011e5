package io.memorygateway.openapi;

import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.zip.GZIPOutputStream;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/**
 * File of the jar that is served without a key. It is compressed once: for each request that would
 * be most of what an address without a key can have a node do.
 */
public final class PublicFile {
  private static final String GZIP = "gzip";

  private final byte[] plain;
  private final byte[] zipped;

  /** Reads and compresses a file of the jar. */
  public PublicFile(String path) {
    plain = bytes(path);
    zipped = zip(plain);
  }

  /** Begins a response in the coding that the request accepts. */
  Response.ResponseBuilder answer(HttpHeaders request) {
    boolean isZipped = takesGzip(request.getHeaderString(HttpHeaders.ACCEPT_ENCODING));
    byte[] body = bytes(isZipped);
    return Response.ok(body)
        .encoding(isZipped ? GZIP : null)
        .header(HttpHeaders.CONTENT_LENGTH, body.length)
        .header(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
  }

  /** Whether a request with this {@code Accept-Encoding} takes a file that is compressed. */
  public static boolean takesGzip(@Nullable String accepted) {
    return accepted != null && new HttpField(HttpHeader.ACCEPT_ENCODING, accepted).contains(GZIP);
  }

  /** Its bytes, as they are or compressed; not to be changed. */
  public byte[] bytes(boolean isZipped) {
    return isZipped ? zipped : plain;
  }

  /** The bytes of a file of the jar. */
  public static byte[] bytes(String path) {
    try (InputStream in = PublicFile.class.getResourceAsStream(path)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] zip(byte[] file) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
