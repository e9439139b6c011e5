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

/**
 * File of the jar that is served without a key. It is compressed once: for each request that would
 * be most of what an address without a key can have a node do.
 */
public final class PublicFile {
  private static final String GZIP = "gzip";

  private final byte[] plain;
  private final byte[] zipped;

  PublicFile(String path) {
    plain = bytes(path);
    zipped = zip(plain);
  }

  /** Begins a response in the coding that the request accepts. */
  Response.ResponseBuilder answer(HttpHeaders request) {
    String accepted = request.getHeaderString(HttpHeaders.ACCEPT_ENCODING);
    boolean isZipped =
        accepted != null && new HttpField(HttpHeader.ACCEPT_ENCODING, accepted).contains(GZIP);
    byte[] body = isZipped ? zipped : plain;
    return Response.ok(body)
        .encoding(isZipped ? GZIP : null)
        .header(HttpHeaders.CONTENT_LENGTH, body.length)
        .header(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
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
