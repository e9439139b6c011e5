package io.memorygateway.http.arrival;

import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpException;
import org.jspecify.annotations.Nullable;

/**
 * Decompresses request bodies: {@code Content-Encoding: gzip} or {@code zstd}. Any other coding is
 * refused when the body is read, that is, after the key was checked. Replaces Jetty's own decoder,
 * which takes a truncated body for a complete one.
 */
public final class RequestEncodingFilter implements Filter {
  private static final List<String> GZIP = List.of("gzip", "x-gzip");
  private static final List<String> HIDDEN = List.of("content-encoding", "content-length");

  private final long maxBodyBytes;

  /**
   * Creates a filter.
   *
   * @param maxBodyBytes bytes of a body after decompression; more is answered with 413
   */
  public RequestEncodingFilter(long maxBodyBytes) {
    this.maxBodyBytes = maxBodyBytes;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    List<String> codings = codings((HttpServletRequest) request);
    if (codings.isEmpty()) {
      chain.doFilter(request, response);
      return;
    }
    try (Body body = new Body((HttpServletRequest) request, codings)) {
      chain.doFilter(new Decoded((HttpServletRequest) request, body), response);
    }
  }

  /** Returns the codings of the body, without identity. */
  private static List<String> codings(HttpServletRequest request) {
    if (request.getHeader("Content-Encoding") == null) {
      return List.of();
    }
    return Collections.list(request.getHeaders("Content-Encoding")).stream()
        .flatMap(line -> Stream.of(line.split(",", -1)))
        .map(coding -> coding.strip().toLowerCase(Locale.ROOT))
        .filter(coding -> !coding.isEmpty() && !coding.equals("identity"))
        .toList();
  }

  /** The decoded body; a decoder is made when it is read, and without one, that is an error. */
  private final class Body extends ServletInputStream {
    private final HttpServletRequest request;
    private final List<String> codings;
    private @Nullable InputStream source;
    private long count;
    private boolean ended;

    Body(HttpServletRequest request, List<String> codings) {
      this.request = request;
      this.codings = codings;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
      if (source == null) {
        source = decoder();
      }
      int read = source.read(to, offset, length);
      ended |= read < 0;
      count += Math.max(0, read);
      if (count > maxBodyBytes) {
        throw new HttpException.RuntimeException(413, "after decompression");
      }
      return read;
    }

    private InputStream decoder() throws IOException {
      String coding = codings.size() == 1 ? codings.get(0) : "";
      if (GZIP.contains(coding)) {
        return new GunzipInputStream(request.getInputStream());
      }
      if (coding.equals("zstd")) {
        // Its window, which lies outside the heap, never holds more than has been read of the body.
        RequestReservation.of(request).addRequest(UnzstdInputStream.STATE);
        try {
          return new UnzstdInputStream(request.getInputStream());
        } catch (LinkageError e) {
          // The library brings no decoder for this machine, or may not load it.
          throw unsupported("gzip");
        }
      }
      throw unsupported("gzip or zstd");
    }

    private static ApiException unsupported(String understood) {
      return new ApiException(
          ApiError.of(
                  415,
                  ErrorType.INVALID_REQUEST,
                  "The Content-Encoding of the request is not supported: send the body as it is or compressed with "
                      + understood
                      + ".")
              .withHeader("Accept-Encoding", understood.replace(" or", ",")));
    }

    @Override
    public boolean isFinished() {
      return ended;
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void setReadListener(ReadListener listener) {
      throw new UnsupportedOperationException("bodies are read by threads that wait");
    }

    @Override
    public void close() throws IOException {
      if (source != null) {
        source.close();
      }
    }
  }

  /** The request with its body decoded, and without the headers that describe the coded one. */
  private static final class Decoded extends HttpServletRequestWrapper {
    private final Body body;

    Decoded(HttpServletRequest request, Body body) {
      super(request);
      this.body = body;
    }

    @Override
    public ServletInputStream getInputStream() {
      return body;
    }

    @Override
    public int getContentLength() {
      return -1;
    }

    @Override
    public long getContentLengthLong() {
      return -1;
    }

    @Override
    public @Nullable String getHeader(String name) {
      return isHidden(name) ? null : super.getHeader(name);
    }

    @Override
    public Enumeration<String> getHeaders(String name) {
      return isHidden(name) ? Collections.emptyEnumeration() : super.getHeaders(name);
    }

    @Override
    public Enumeration<String> getHeaderNames() {
      return Collections.enumeration(
          Collections.list(super.getHeaderNames()).stream()
              .filter(name -> !isHidden(name))
              .toList());
    }

    private static boolean isHidden(String name) {
      return HIDDEN.contains(name.toLowerCase(Locale.ROOT));
    }
  }
}
